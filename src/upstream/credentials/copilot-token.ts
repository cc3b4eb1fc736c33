import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { CredentialFault } from './credential-fault.ts'
import type { IssuedToken } from './token-cache.ts'

/**
 * The token with which this user is signed in to GitHub Copilot: from a variable, or from the files of Copilot's or
 * GitHub's own tools, which change it at any time.
 */
export const copilotToken = async (): Promise<IssuedToken> => {
  const named = [process.env.GH_COPILOT_TOKEN, process.env.COPILOT_GITHUB_TOKEN].map((one) => one?.trim())
  for (const token of named) if (token) return { text: token, lifeMs: LIFE_MS }
  const folder = configFolder()
  const files = folder === undefined ? [] : FILES.map((file) => join(folder, file))
  for (const file of files) {
    const token = await tokenIn(file)
    if (token) return { text: token, lifeMs: LIFE_MS }
  }
  throw new CredentialFault(
    'no GitHub Copilot token: set GH_COPILOT_TOKEN, or sign in with GitHub Copilot or gh',
  )
}

const configFolder = (): string | undefined => {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  try {
    return XDG_CONFIG_HOME ?? APPDATA ?? join(homedir(), '.config')
  } catch {
    // A user that the system does not know, as in many containers.
    return undefined
  }
}

/** Headers that Copilot requires of its clients. */
export const copilotHeaders: readonly (readonly [name: string, value: string])[] = [
  ['editor-version', 'agentgateway/1'],
  ['x-github-api-version', '2025-10-01'],
  ['x-initiator', 'agent'],
  ['x-interaction-type', 'conversation-agent'],
  ['openai-intent', 'conversation-agent'],
]

const FILES = ['github-copilot/hosts.json', 'github-copilot/apps.json', 'gh/hosts.yml']
/** How long a replaced token may stay in use. */
const LIFE_MS = 10_000

/** YAML is a superset of JSON. Keys are hosts, in the files of some tools with a suffix. */
const tokenIn = async (path: string): Promise<string | undefined> => {
  try {
    const hosts: unknown = parse(await readFile(path, 'utf8'))
    if (typeof hosts !== 'object' || hosts === null) return undefined
    for (const [host, entry] of Object.entries(hosts) as [string, { oauth_token?: unknown } | null][]) {
      const token = entry?.oauth_token
      if (host.startsWith('github.com') && typeof token === 'string' && token.trim()) return token.trim()
    }
    return undefined
  } catch {
    return undefined
  }
}
