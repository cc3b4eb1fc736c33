// A webhook for guards, in Node.js without a package: node server.mjs
import { Buffer } from 'node:buffer'
import console from 'node:console'
import { createServer } from 'node:http'
import process from 'node:process'

/** The action for these texts: an empty one passes them. */
const actionFor = (phase, messages) => {
  const texts = messages.map(({ content }) => content)
  if (texts.some((text) => /\bblock\b/.test(text)))
    return { body: 'The request was blocked by the guardrail webhook', status_code: 403, reason: 'block' }
  if (phase === 'request' || !texts.some((text) => /\bmask\b/.test(text))) return {}
  // All texts are returned, in their order and with their roles.
  const masked = messages.map(({ role, content }) => ({
    role,
    content: content.replace(/\bmask\b/g, '****'),
  }))
  return { body: { choices: masked.map((message) => ({ message })) }, reason: 'mask' }
}

const server = createServer((req, res) => {
  const chunks = []
  req.on('data', (chunk) => chunks.push(chunk))
  req.on('end', () => {
    const phase = req.url.slice(1)
    if (req.method !== 'POST' || (phase !== 'request' && phase !== 'response')) {
      res.writeHead(404).end()
      return
    }
    let action
    try {
      const { messages, choices } = JSON.parse(Buffer.concat(chunks)).body
      action = actionFor(phase, phase === 'request' ? messages : choices.map(({ message }) => message))
    } catch {
      res.writeHead(400).end()
      return
    }
    console.log(`${phase}: ${action.reason ?? 'pass'}`)
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ action }))
  })
})

server.listen(Number(process.env.PORT ?? 8000), '127.0.0.1', () => {
  console.log(`listening on 127.0.0.1:${server.address().port}`)
})
