import { CommandFailure } from '../command-failure.ts'
import { exitCode } from '../exit-code.ts'
import { oneLineText } from '../gateway/admin-failure.ts'

/** A request for a token with the credentials of a program. */
export interface TokenRequest {
  readonly url: URL
  readonly clientId: string
  readonly clientSecret: string
  readonly audience: string
}

const timeoutMs = 30_000

/** Fetches an access token: a POST of JSON with the grant type `client_credentials`. */
export const fetchToken = async (request: TokenRequest): Promise<string> => {
  const { url, clientSecret } = request
  const { status, text } = await post(request)
  // A provider may quote the request in its error.
  const visible = oneLineText(text.replaceAll(clientSecret, '<redacted>'))
  const body = parseObject(text)
  if (status !== 200) {
    const { error, error_description: description } = body ?? {}
    const reason = [error, description].filter((one) => typeof one === 'string').join(': ')
    const shown = reason === '' ? visible : oneLineText(reason.replaceAll(clientSecret, '<redacted>'))
    throw new CommandFailure(`${url.host} gave no token (${String(status)}): ${shown}`, {
      hint: 'The application needs the client credentials grant, and access to the API of the audience.',
    })
  }
  const token = body?.access_token
  // It becomes a header field of the caller.
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new CommandFailure(`the response of ${url.host} has no access_token`, {
    hint: 'Is --auth-url the address of the provider, without /oauth/token?',
  })
}

const limitChars = 1024 * 1024

const post = async ({ url, clientId, clientSecret, audience }: TokenRequest) => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: clientSecret,
        audience,
        grant_type: 'client_credentials',
      }),
      // The secret is for this address only.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, text: await readLimited(response) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason =
      cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : String(cause)
    throw new CommandFailure(`cannot get a token from ${url.host}: ${reason ?? ''}`, {
      exitCode: exitCode.unreachable,
      cause: error,
    })
  }
}

const readLimited = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > limitChars) throw new Error('the response is too long')
  }
  return text
}

const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
