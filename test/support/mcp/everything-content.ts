import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import { textOrEmpty, elicit, filledIn } from './everything-input-tools.ts'
import { pixelPng } from './everything-media.ts'
import { FixtureError, type FixtureRequest } from './fixture-request.ts'

/** A prompt of the fixture. */
export interface FixturePrompt {
  readonly name: string
  readonly description: string
  readonly arguments?: readonly {
    readonly name: string
    readonly description: string
    readonly required: boolean
  }[]
  readonly get: (request: FixtureRequest) => Promise<JsonObject> | JsonObject
}

const said = (content: JsonObject) => ({ role: 'user', content })
const saidText = (value: string) => said({ type: 'text', text: value })

/** The prompts that the conformance suite requests. */
export const everythingPrompts: readonly FixturePrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'Says one sentence',
    get: () => ({ messages: [saidText('This is a simple prompt for testing.')] }),
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Says its arguments',
    arguments: [
      { name: 'arg1', description: 'The first', required: true },
      { name: 'arg2', description: 'The second', required: true },
    ],
    get: ({ args }) => ({
      messages: [
        saidText(`Prompt with arguments: arg1='${textOrEmpty(args.arg1)}', arg2='${textOrEmpty(args.arg2)}'`),
      ],
    }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Contains a resource',
    arguments: [{ name: 'resourceUri', description: 'Which one', required: true }],
    get: ({ args }) => ({
      messages: [
        said({
          type: 'resource',
          resource: {
            uri: textOrEmpty(args.resourceUri),
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        saidText('Please process the embedded resource above.'),
      ],
    }),
  },
  {
    name: 'test_prompt_with_image',
    description: 'Contains an image',
    get: () => ({
      messages: [
        said({ type: 'image', data: pixelPng, mimeType: 'image/png' }),
        saidText('Please analyze the image above.'),
      ],
    }),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks before it answers',
    get: async ({ requestInput: ask }) => {
      const answers = await ask({
        user_context: elicit('What context should the prompt use?', { context: { type: 'string' } }),
      })
      return { messages: [saidText(`Context: ${filledIn(answers.user_context, 'context')}`)] }
    },
  },
]

/** The result of `resources/list`. */
export const everythingResources = [
  {
    uri: 'test://static-text',
    name: 'Static text',
    description: 'A text that stays as it is',
    mimeType: 'text/plain',
  },
  {
    uri: 'test://static-binary',
    name: 'Static binary',
    description: 'An image that stays as it is',
    mimeType: 'image/png',
  },
  {
    uri: 'test://watched-resource',
    name: 'Watched resource',
    description: 'A text to subscribe to',
    mimeType: 'text/plain',
  },
]

/** The result of `resources/templates/list`. */
export const everythingTemplates = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'Template',
    description: 'Data of some id',
    mimeType: 'application/json',
  },
]

/** @returns The contents of a resource; throws the error of the revision if there is none. */
export const readResource = (uri: string, missing: number): JsonObject => {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id !== undefined)
    return {
      contents: [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }
  if (uri === 'test://static-text')
    return {
      contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: pixelPng }] }
  if (uri === 'test://watched-resource')
    return { contents: [{ uri, mimeType: 'text/plain', text: 'This text is watched.' }] }
  throw new FixtureError(missing, 'Resource not found', { uri })
}

/** @returns The completions of an argument. */
export const complete = (value: string): JsonObject => {
  const values = ['paris', 'park', 'party'].filter((one) => one.startsWith(value))
  return { completion: { values, total: values.length, hasMore: false } }
}
