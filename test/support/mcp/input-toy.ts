import type { ServerResponse } from 'node:http'
import { progressOn } from './messages.ts'
import { respondEvents, type ScriptedRequest } from './scripted-server.ts'
import { content, type ToyHandler, startToy, type ToyServer } from './toy-server.ts'

/** The input requests of its tools. */
const inputMethods: Readonly<Record<string, readonly string[]>> = {
  elicit: ['elicitation/create'],
  sample: ['sampling/createMessage'],
  roots: ['roots/list'],
  all: ['elicitation/create', 'sampling/createMessage', 'roots/list'],
}

const paramsOf: Readonly<Record<string, object>> = {
  'elicitation/create': { message: 'who?', requestedSchema: { type: 'object', properties: {} } },
  'sampling/createMessage': { messages: [], maxTokens: 1, _meta: { progressToken: 'mine' } },
  'roots/list': {},
}

/**
 * A server with handshakes whose tools send requests to the client, `all` all at once and `twice` one after the other,
 * and then return the responses. Its requests have the ids 1, 2, 3 in every session.
 */
export const startInputToy = (): Promise<ToyServer> => {
  const open = new Map<string, (answer: unknown) => void>()
  const keyOf = ({ headers, body }: ScriptedRequest): string =>
    `${String(headers['mcp-session-id'])} ${JSON.stringify(body.id)}`
  const asking =
    (...rounds: (readonly string[])[]): ToyHandler =>
    (request, response) => {
      void answer(request, response, rounds)
    }
  const answer = async (
    request: ScriptedRequest,
    response: ServerResponse,
    rounds: readonly (readonly string[])[],
  ): Promise<void> => {
    const { progressToken } = ((request.body.params as { _meta?: object })._meta ?? {}) as {
      progressToken?: unknown
    }
    if (progressToken !== undefined) respondEvents(response, progressOn(progressToken))
    const responses: unknown[] = []
    let id = 0
    for (const round of rounds) {
      const answers = round.map((method) => {
        id++
        const { promise, resolve } = Promise.withResolvers<unknown>()
        open.set(keyOf({ ...request, body: { id } }), resolve)
        return { message: { jsonrpc: '2.0', id, method, params: paramsOf[method] }, promise }
      })
      respondEvents(response, ...answers.map(({ message }) => message))
      responses.push(...(await Promise.all(answers.map(({ promise }) => promise))))
    }
    respondEvents(response, {
      jsonrpc: '2.0',
      id: request.body.id,
      result: content(JSON.stringify(responses)),
    })
    response.end()
  }
  return startToy({
    tools: [...Object.keys(inputMethods), 'twice'],
    handlers: {
      ...Object.fromEntries(Object.entries(inputMethods).map(([name, round]) => [name, asking(round)])),
      twice: asking(['elicitation/create'], ['elicitation/create']),
      POST: (request, response) => {
        response.writeHead(202).end()
        const { result, error } = request.body
        open.get(keyOf(request))?.(result ?? { error })
      },
    },
  })
}
