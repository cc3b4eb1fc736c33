import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

/*
 * Containers may run under any user id. One that the system does not know has no home folder, and Node throws when it is
 * asked for it.
 */
test(
  'a user without a name and a home',
  { skip: process.getuid?.() !== 0 && 'needs to be root' },
  async (t) => {
    const source = (path: string) => JSON.stringify(new URL(`../src/${path}`, import.meta.url).href)
    const output = async (script: string): Promise<string> => {
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
        uid: 54_321,
        gid: 54_321,
        cwd: '/',
        env: {},
      })
      return stdout.trim()
    }

    await t.test('has no home, as Node says', async () => {
      const script = `import { homedir } from 'node:os'
try { homedir(); console.log('home') } catch { console.log('none') }`
      assert.equal(await output(script), 'none')
    })

    await t.test('has no token of Copilot in files', async () => {
      const script = `import { copilotToken } from ${source('upstream/credentials/copilot-token.ts')}
console.log(await copilotToken().catch(({ name, message }) => message))`
      assert.match(await output(script), /no GitHub Copilot token: set GH_COPILOT_TOKEN, or sign in/)
    })

    await t.test('has a token of Copilot in a variable', async () => {
      const script = `import { copilotToken } from ${source('upstream/credentials/copilot-token.ts')}
process.env.GH_COPILOT_TOKEN = 'given'
console.log((await copilotToken()).text)`
      assert.equal(await output(script), 'given')
    })

    await t.test('has no kubeconfig, and agctl says so', async () => {
      const script = `import { loadCluster } from ${source('cli/kubernetes/load-cluster.ts')}
console.log(await loadCluster({}).catch(({ message }) => message))`
      assert.equal(
        await output(script),
        'failed to build Kubernetes client config: there is no kubeconfig file, and this user has no home folder for one',
      )
    })
  },
)
