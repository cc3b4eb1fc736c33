import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'

test('variables in a configuration', async (t) => {
  const answers: Readonly<Record<string, readonly [written: string, read: string]>> = {
    set: ['"${GREETING} from ${PLACE:-nowhere}, $GREETING"', 'hello from nowhere, hello'],
    // The value of a variable never becomes another field, a comment, or another variable.
    held: ['"${TRICKY}"', 'a: b # ${GREETING} $GREETING'],
    escaped: ['"costs $$5, $$GREETING"', 'costs $5, $GREETING'],
    // A line of an htpasswd file, as its tool writes it.
    hash: ['"alice:$apr1$3zSE0Abt$IuETi4l5yO87MuOrbSE4V."', 'alice:$apr1$3zSE0Abt$IuETi4l5yO87MuOrbSE4V.'],
    bcrypt: [
      "'bob:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC'",
      'bob:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC',
    ],
  }
  const routes = Object.entries(answers).map(
    ([name, [written]]) => `  - name: ${name} # ${written}, \${NEVER_SET} and $NEVER_SET
    matches: [{ path: { exact: /${name} } }]
    policies: { directResponse: { status: 200, body: ${written} } }`,
  )
  await using daemon = await startDaemon(
    `${anyPorts}
# \${NEVER_SET} $NEVER_SET \${
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
${routes.join('\n')}
`,
    { env: { GREETING: 'hello', TRICKY: 'a: b # ${GREETING} $GREETING' } },
  )

  for (const [name, [, read]] of Object.entries(answers))
    await t.test(`${name}: ${read}`, async () => {
      assert.equal((await sendRequest(daemon.url('default'), `/${name}`)).text, read)
    })
})
