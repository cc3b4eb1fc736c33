import { createServer } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { listening, type UpstreamServer } from '../upstream-servers.ts'

/** A word that every service rejects, and one that some of them replace. */
export const FORBIDDEN = 'forbidden-word'
export const SECRET = 'secret-word'
export const MASKED = '[masked]'

/** All services that guards call, in one: webhook, moderation, guardrail, armor, content safety. */
export interface GuardServices extends UpstreamServer {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** Requested paths, with their bodies. */
  readonly asked: { readonly path: string; readonly body: string }[]
  /** Replaces the default responses. */
  answer: ((path: string) => { readonly status: number; readonly body: string } | undefined) | undefined
}

/** Starts them. */
export const startGuardServices = async (): Promise<GuardServices> => {
  const services: Pick<GuardServices, 'asked' | 'answer'> = { asked: [], answer: undefined }
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    textOf(req).then(
      (body) => {
        const path = (req.url ?? '').split('?')[0] as string
        services.asked.push({ path, body })
        const said = services.answer?.(path) ?? { status: 200, body: JSON.stringify(judge(path, body)) }
        res.writeHead(said.status, { 'content-type': 'application/json' }).end(said.body)
      },
      () => res.destroy(),
    )
  })
  const upstream = await listening(server)
  return Object.assign(services, upstream, { host: `127.0.0.1:${upstream.port}` })
}

const judge = (path: string, body: string): unknown => {
  const json = JSON.parse(body) as unknown
  const isRejected = body.includes(FORBIDDEN)
  if (path === '/request' || path === '/response') return { action: webhook(json, isRejected, body) }
  if (path === '/v1/moderations') return { id: 'm', model: 'm', results: [{ flagged: isRejected }] }
  if (path.startsWith('/guardrail/')) return guardrail(json as Guardrail, isRejected, body)
  if (path.includes(':sanitize'))
    return {
      sanitizationResult: {
        filterMatchState: isRejected ? 'MATCH_FOUND' : 'NO_MATCH_FOUND',
        invocationResult: 'SUCCESS',
        filterResults: {
          csam: { csamFilterFilterResult: { matchState: isRejected ? 'MATCH_FOUND' : 'NO_MATCH_FOUND' } },
        },
      },
    }
  if (path === '/contentsafety/text:analyze')
    return {
      blocklistsMatch: [],
      categoriesAnalysis: [{ category: 'Hate', severity: isRejected ? 6 : 0 }],
    }
  throw new Error(`nobody asked for ${path} before`)
}

const webhook = (json: unknown, isRejected: boolean, body: string): unknown => {
  if (isRejected) return { body: 'no', status_code: 403, reason: 'a forbidden word' }
  if (!body.includes(SECRET)) return {}
  const masked = JSON.parse(JSON.stringify(json).replaceAll(SECRET, MASKED)) as { body: unknown }
  return { body: masked.body, reason: 'a secret' }
}

interface Guardrail {
  readonly content: readonly { readonly text: { readonly text: string } }[]
}

const guardrail = ({ content }: Guardrail, isRejected: boolean, body: string): unknown => {
  const assessed = (action: string) => [
    { wordPolicy: { customWords: [{ action, match: 'word', detected: true }], managedWordLists: [] } },
  ]
  if (isRejected)
    return { action: 'GUARDRAIL_INTERVENED', outputs: [{ text: 'no' }], assessments: assessed('BLOCKED') }
  if (!body.includes(SECRET)) return { action: 'NONE', outputs: [], assessments: [] }
  return {
    action: 'GUARDRAIL_INTERVENED',
    outputs: content.map(({ text }) => ({ text: text.text.replaceAll(SECRET, MASKED) })),
    assessments: assessed('ANONYMIZED'),
  }
}
