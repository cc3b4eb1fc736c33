import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import type { InputRequest } from './fixture-request.ts'
import { text, tool } from './fixture-tool.ts'

/** @returns An elicitation of some fields. */
export const elicit = (
  message: string,
  properties: JsonObject,
  required = Object.keys(properties),
): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
})

const sample = (prompt: string, maxTokens: number): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
})

const roots: InputRequest = { method: 'roots/list', params: {} }

const askString = (message: string, field: string) => elicit(message, { [field]: { type: 'string' } })

/** @returns The text of a field, or nothing. */
export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** @returns The user's value of a form field. */
export const filledIn = (answer: JsonObject | undefined, field: string): string => {
  const content = answer?.content
  return typeof content === 'object' && content !== null && field in content
    ? textOrEmpty((content as JsonObject)[field])
    : ''
}

const sampled = (answer: JsonObject | undefined) =>
  textOrEmpty((answer?.content as JsonObject | undefined)?.text)

const outcome = (answer: JsonObject | undefined) =>
  text(
    `Elicitation completed: action=${textOrEmpty(answer?.action)}, content=${JSON.stringify(answer?.content ?? {})}`,
  )

const titled = (values: readonly string[], titles: readonly string[]) =>
  values.map((value, index) => ({ const: value, title: titles[index] }))

const options = ['option1', 'option2', 'option3']
const values = ['value1', 'value2', 'value3']

/** Tools that send requests to the client before they return. */
export const inputTools = [
  tool(
    'test_sampling',
    'Asks a model',
    async ({ args, requestInput: ask }) => {
      const { answer } = await ask({ answer: sample(textOrEmpty(args.prompt), 100) })
      return text(`LLM response: ${sampled(answer)}`)
    },
    { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  ),
  tool(
    'test_elicitation',
    'Asks the user',
    async ({ args, requestInput: ask }) => {
      const { answer } = await ask({
        answer: elicit(textOrEmpty(args.message), {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        }),
      })
      return text(
        `User response: action=${textOrEmpty(answer?.action)}, content=${JSON.stringify(answer?.content ?? {})}`,
      )
    },
    { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  ),
  tool(
    'test_elicitation_sep1034_defaults',
    'Asks with defaults of every type',
    async ({ requestInput: ask }) => {
      const { answer } = await ask({
        answer: elicit(
          'Which values do you want?',
          {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
          [],
        ),
      })
      return outcome(answer)
    },
  ),
  tool('test_elicitation_sep1330_enums', 'Asks with every kind of choice', async ({ requestInput: ask }) => {
    const { answer } = await ask({
      answer: elicit(
        'What do you choose?',
        {
          untitledSingle: { type: 'string', enum: options },
          titledSingle: {
            type: 'string',
            oneOf: titled(values, ['First Option', 'Second Option', 'Third Option']),
          },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
          titledMulti: {
            type: 'array',
            items: { anyOf: titled(values, ['First Choice', 'Second Choice', 'Third Choice']) },
          },
        },
        [],
      ),
    })
    return outcome(answer)
  }),
  tool('test_input_required_result_elicitation', 'Asks for a name', async ({ requestInput: ask }) => {
    const answers = await ask({ user_name: askString('What is your name?', 'name') })
    return text(`Hello, ${filledIn(answers.user_name, 'name')}!`)
  }),
  tool('test_streaming_elicitation', 'Asks for a name, under another name', async ({ requestInput: ask }) => {
    const answers = await ask({ user_name: askString('What is your name?', 'name') })
    return text(`Hello, ${filledIn(answers.user_name, 'name')}!`)
  }),
  tool('test_input_required_result_sampling', 'Asks a model for a capital', async ({ requestInput: ask }) => {
    const answers = await ask({ capital_question: sample('What is the capital of France?', 100) })
    return text(sampled(answers.capital_question))
  }),
  tool('test_input_required_result_list_roots', 'Asks for the roots', async ({ requestInput: ask }) => {
    const answers = await ask({ client_roots: roots })
    return text(JSON.stringify(answers.client_roots?.roots))
  }),
  tool('test_input_required_result_request_state', 'Gives a state along', async ({ requestInput: ask }) => {
    await ask({ confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }, true)
    return text('state-ok')
  }),
  tool(
    'test_input_required_result_tampered_state',
    'Gives a state along that is sealed',
    async ({ requestInput: ask }) => {
      await ask({ confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }, true)
      return text('state-ok')
    },
  ),
  tool(
    'test_input_required_result_multiple_inputs',
    'Asks three things at once',
    async ({ requestInput: ask }) => {
      const answers = await ask(
        {
          user_name: askString('What is your name?', 'name'),
          greeting: sample('Generate a greeting', 50),
          client_roots: roots,
        },
        true,
      )
      return text(`${sampled(answers.greeting)} ${filledIn(answers.user_name, 'name')}`)
    },
  ),
  tool(
    'test_input_required_result_multi_round',
    'Asks one thing after the other',
    async ({ requestInput: ask }) => {
      const first = await ask({ step1: askString('Step 1: What is your name?', 'name') }, true)
      const second = await ask({ step2: askString('Step 2: What is your favorite color?', 'color') }, true)
      return text(`${filledIn(first.step1, 'name')} likes ${filledIn(second.step2, 'color')}`)
    },
  ),
  tool('test_input_required_result_capabilities', 'Asks what the client can answer', async (request) => {
    const { capabilities } = request
    const answers = await request.requestInput({
      ...(capabilities.elicitation === undefined ? {} : { user: askString('What is your name?', 'name') }),
      ...(capabilities.sampling === undefined ? {} : { model: sample('Generate a greeting', 50) }),
    })
    return text(Object.keys(answers).join(', '))
  }),
]
