import type { SecretText } from '../../model/policies/secret-text.ts'
import type * as File from '../schema/file-types.gen.ts'
import { type Context, fileText } from './context.ts'

/** Limits of a token: shorter ones can be guessed, and longer ones do not fit into a request. */
const MIN_LENGTH = 16
const MAX_LENGTH = 4_096
const MAX_TOKENS = 100

/** The bearer tokens of the admin server; none without authentication. */
export function adminTokens(
  section: File.ProcessSection | undefined,
  context: Pick<Context, 'files'>,
): readonly SecretText[] {
  const { auth } = section?.admin ?? {}
  if (auth === undefined) return []
  return linesOf(fileText(context, auth.tokenFile)).map(({ token }) => ({ secret: token }))
}

/** What is wrong with a file of tokens, completing the sentence `"path" …`. Repeats no token. */
export function tokenProblem(text: string): string | undefined {
  const lines = linesOf(text)
  if (lines.length === 0) return 'has no token'
  if (lines.length > MAX_TOKENS) return `has more than ${String(MAX_TOKENS)} tokens`
  for (const { token, line } of lines) {
    const where = `in line ${String(line)}`
    if (token.length < MIN_LENGTH)
      return `has a token of ${String(token.length)} characters ${where}: at least ${String(MIN_LENGTH)} are required`
    if (token.length > MAX_LENGTH) return `has a token of more than ${String(MAX_LENGTH)} characters ${where}`
    if (!/^[\x21-\x7e]+$/.test(token)) return `has a token with spaces or characters beyond ASCII ${where}`
  }
  return undefined
}

interface TokenLine {
  readonly token: string
  readonly line: number
}

function linesOf(text: string): readonly TokenLine[] {
  return text
    .split('\n')
    .map((token, i) => ({ token: token.trim(), line: i + 1 }))
    .filter(({ token }) => token !== '' && !token.startsWith('#'))
}
