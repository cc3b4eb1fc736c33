import { get } from 'node:http'

/** Opens the stream of each session, and resolves when all are open. The returned function closes them. */
export const openStreams = async (url: string, sessions: readonly string[]): Promise<() => void> => {
  const streams = sessions.map((session) => {
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session }
    const stream = get(url, { agent: false, headers })
    stream.on('error', () => undefined)
    const opened = new Promise<void>((resolve, reject) => {
      stream.on('response', (answer) => {
        answer.resume()
        answer.on('error', () => undefined)
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`status ${answer.statusCode ?? 0}`))
      })
    })
    return { stream, opened }
  })
  await Promise.all(streams.map(({ opened }) => opened))
  return () => {
    for (const { stream } of streams) stream.destroy()
  }
}
