import { type ReceivedResponse, sendRequest, type RequestParts } from './send-request.ts'

/** A client with cookies, like browsers: by host name, whatever the port. */
export class CookieClient {
  /** Host name → cookies with their paths. */
  readonly jar = new Map<string, Map<string, { readonly value: string; readonly path: string }>>()
  /** The last requested address. */
  url = ''

  /** Sends one request without following redirects. */
  async ask(url: string, asked: RequestParts = {}): Promise<ReceivedResponse> {
    this.url = url
    const { origin, hostname, pathname, search } = new URL(url)
    const cookie = this.cookies(hostname, pathname)
    const answer = await sendRequest(origin, pathname + search, {
      ...asked,
      headers: { ...asked.headers, ...(cookie === '' ? {} : { cookie }) },
    })
    for (const field of answer.headers['set-cookie'] ?? []) this.#keep(hostname, field)
    return answer
  }

  /** Sends a request and follows redirects as long as `goesOn` allows. */
  async follow(url: string, goesOn: (next: string) => boolean = () => true): Promise<ReceivedResponse> {
    let answer = await this.ask(url)
    for (let hops = 0; hops < 20; hops++) {
      const { location } = answer.headers
      if (location === undefined) return answer
      const next = new URL(location, this.url).href
      if (!goesOn(next)) return answer
      answer = await this.ask(next)
    }
    throw new Error(`redirected too often: ${this.url}`)
  }

  /** The `Cookie` field for a path. */
  cookies(hostname: string, pathname: string): string {
    return [...(this.jar.get(hostname) ?? [])]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  }

  #keep(hostname: string, field: string): void {
    const [pair = '', ...attributes] = field.split(';').map((part) => part.trim())
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals)
    const attribute = (wanted: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1)
    const cookies = this.jar.get(hostname) ?? new Map<string, { value: string; path: string }>()
    const expires = attribute('expires')
    const isOver = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) < Date.now())
    if (isOver) cookies.delete(name)
    else cookies.set(name, { value: pair.slice(equals + 1), path: attribute('path') ?? '/' })
    this.jar.set(hostname, cookies)
  }
}
