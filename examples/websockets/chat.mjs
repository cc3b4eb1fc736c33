// An echo chat.
import { env, stdout } from 'node:process'
import { WebSocketServer } from 'ws'

const server = new WebSocketServer({ port: Number(env.PORT ?? 9001) }, () => {
  stdout.write(`the chat listens on ws://127.0.0.1:${server.address().port}\n`)
})
server.on('connection', (client) => {
  client.on('message', (said) => client.send(`you said: ${said}`))
})
