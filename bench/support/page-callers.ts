/** `CALLERS` that get `PAGE` again and again, until the program ends. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })
const page = process.env.PAGE ?? ''

const callForever = async (): Promise<never> => {
  for (;;) {
    const req = request(page, { agent }).end()
    const [res] = (await once(req, 'response')) as [NodeJS.ReadableStream]
    await once(res.resume(), 'end')
  }
}

for (let i = 0; i < Number(process.env.CALLERS); i++) void callForever()
process.send?.({ port: 0 })
