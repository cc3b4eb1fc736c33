import { createGateway, deny, onReply, onRequest } from 'agentgateway'

const { CONFIG = 'gateway.yaml' } = process.env

const tenants = new Set(['red', 'blue'])
const tenant = onRequest('tenant', ({ request }) =>
  tenants.has(request.headers.get('x-tenant') ?? '')
    ? undefined
    : deny(403, 'unknown_tenant', { message: 'unknown tenant' }),
)
const stamp = onReply('stamp', (x) => x.reply?.headers.set('x-served-by', 'embedded-gateway'))

const gateway = await createGateway(
  { file: CONFIG },
  {
    env: process.env,
    insert: [
      { level: 'route', before: 'localRateLimit', operator: tenant, routes: ['api'] },
      { level: 'listener', before: 'cors', operator: { reply: stamp } },
    ],
  },
)
for (const { name, url } of gateway.addresses) console.log(`${name} listens on ${url}`)

process.once('SIGHUP', () => void gateway.apply({ file: CONFIG }).catch(console.error))
process.once('SIGTERM', () => void gateway.close())
