import type { RecordedRequest } from './recorded-request.ts'

/** The part of a HAR file that is read: what browsers export. */
export interface HarFile {
  readonly log: { readonly entries: readonly HarEntry[] }
}

interface HarEntry {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers?: readonly HarField[]
    readonly postData?: { readonly text?: string }
  }
  readonly response?: {
    readonly status: number
    readonly headers?: readonly HarField[]
    readonly content?: { readonly text?: string; readonly encoding?: string }
  }
}

interface HarField {
  readonly name: string
  readonly value: string
}

/** The requests of a HAR file. Entries without a request are skipped. */
export const fromHar = ({ log }: HarFile): readonly RecordedRequest[] =>
  log.entries.filter(isEntry).map(({ request, response }) => {
    const { text } = request.postData ?? {}
    return {
      method: request.method,
      url: request.url,
      headers: pairs(request.headers).filter(([name]) => name !== 'content-length'),
      body: text === undefined ? undefined : Buffer.from(text),
      redacted: [],
      isCut: false,
      outcome: { status: response?.status },
      response: response && {
        status: response.status,
        headers: pairs(response.headers),
        body: bodyOf(response.content),
      },
    }
  })

/** Files are edited by hand too, and made by other programs. */
const isEntry = (entry: unknown): entry is HarEntry => {
  const { request } = (entry ?? {}) as { readonly request?: Partial<HarEntry['request']> | null }
  return (
    typeof request?.method === 'string' &&
    typeof request.url === 'string' &&
    (request.headers === undefined || Array.isArray(request.headers)) &&
    (request.headers ?? []).every(isField)
  )
}

const isField = (field: unknown): field is HarField => {
  const { name, value } = (field ?? {}) as Partial<HarField>
  return typeof name === 'string' && typeof value === 'string'
}

/** Pseudo-headers of HTTP/2 are in the URL and the method. */
const pairs = (fields: readonly HarField[] = []): RecordedRequest['headers'] =>
  fields
    .filter(isField)
    .filter(({ name }) => !name.startsWith(':'))
    .map(({ name, value }) => [name.toLowerCase(), value] as const)

const bodyOf = (
  content: { readonly text?: string; readonly encoding?: string } | undefined,
): Buffer | undefined =>
  content?.text === undefined
    ? undefined
    : Buffer.from(content.text, content.encoding === 'base64' ? 'base64' : 'utf8')
