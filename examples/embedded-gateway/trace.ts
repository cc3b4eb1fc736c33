import { createGateway } from 'agentgateway'

const { ORIGIN = '127.0.0.1:9000', PORT = '8080' } = process.env

const gateway = await createGateway({
  gateways: { default: { port: Number(PORT), address: '127.0.0.1' } },
  routes: [{ gateways: 'default', backends: [{ host: ORIGIN }] }],
})

gateway.trace$.subscribe(({ requestId, message }) => {
  if (message.type === 'policy') console.log(`${requestId} ${message.kind} took ${message.tookUs ?? 0} µs`)
})
gateway.exchanges$.subscribe((x) => {
  console.log(
    `${x.request.method} ${x.request.path} ${x.reply?.status ?? 0}, ${x.downstream.sentBytes} bytes`,
  )
})
for (const { name, url } of gateway.addresses) console.log(`${name} listens on ${url}`)

process.once('SIGTERM', () => void gateway.close())
