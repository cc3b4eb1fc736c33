import { Agent, request } from 'node:http'
import { median } from './report.ts'

/** Timing of streams, in milliseconds. */
export interface Paced {
  readonly firstByteMs: number
  readonly gapP99Ms: number
}

/** Reads that many concurrent streams, started within a second, and returns the timing of their chunks. */
export const pacedStreams = async (
  count: number,
  call: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Promise<Paced> => {
  const agent = new Agent({ keepAlive: false, maxSockets: count })
  const firsts: number[] = []
  const gaps: number[] = []
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const began = performance.now()
      let last = 0
      const sent = request(call.url, { agent, method: 'POST', headers: call.headers }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`status ${String(answer.statusCode)}`))
        firsts.push(performance.now() - began)
        answer.on('data', () => {
          const now = performance.now()
          if (last) gaps.push(now - last)
          last = now
        })
        answer.on('end', resolve)
      })
      sent.on('error', reject)
      sent.end(call.body)
    })
  const open: Promise<void>[] = []
  for (let i = 0; i < count; i++) {
    open.push(one())
    await new Promise((resolve) => setTimeout(resolve, 1000 / count))
  }
  await Promise.all(open)
  agent.destroy()
  gaps.sort((a, b) => a - b)
  return { firstByteMs: median(firsts), gapP99Ms: gaps[Math.floor(gaps.length * 0.99)] ?? 0 }
}
