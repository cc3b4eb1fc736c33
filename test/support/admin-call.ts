import { type IncomingHttpHeaders, request } from 'node:http'

export interface AdminResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** One request to a server of the process itself, at `host:port` or `unix:/path`, on its own connection. */
export const call = (
  address: string,
  path: string,
  options: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  } = {},
): Promise<AdminResponse> =>
  new Promise((resolve, reject) => {
    const target = address.startsWith('unix:')
      ? { socketPath: address.slice('unix:'.length), host: 'localhost' }
      : {
          host: address.slice(0, address.lastIndexOf(':')).replace(/[[\]]/g, ''),
          port: address.split(':').at(-1),
        }
    const { method = 'GET', headers = {}, body } = options
    const req = request({ ...target, path, method, headers, agent: false }, (res) => {
      res.setEncoding('utf8')
      let text = ''
      res.on('data', (chunk: string) => (text += chunk))
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }))
      res.on('error', reject)
    })
    req.on('error', reject)
    req.end(body)
  })
