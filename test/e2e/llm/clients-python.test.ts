import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command } from '../../support/command.ts'
import { findProgram } from '../../support/find-program.ts'
import { startMocks } from '../../support/llm/mocks.ts'

test('the OpenAI client for Python chats and streams, translated and not', async (t) => {
  const python = await pythonWithOpenai()
  if (python === undefined) {
    t.skip('there is no Python with the package `openai` (name one in OPENAI_PYTHON)')
    return
  }
  await using mocks = await startMocks()
  for (const model of ['plain', 'by-messages', 'by-completions']) {
    const { status, stdout, stderr } = await command(python, ['-c', script, `${mocks.origin}/v1`, model])
    assert.equal(status, 0, stderr)
    assert.deepEqual(JSON.parse(stdout), {
      whole: 'Good morning.',
      stream: 40,
      tools: ['Bern', 'Rome'],
      response: 'Good evening.',
      response_stream: 40,
      refused: ['RateLimitError', 429],
      middle: 'The mock was told to fail in the middle.',
      raw: 'Good night.',
    })
  }
})

const pythonWithOpenai = async (): Promise<string | undefined> => {
  for (const program of [process.env.OPENAI_PYTHON, findProgram('python3')]) {
    if (program === undefined) continue
    const { status } = await command(program, ['-c', 'from openai import AsyncOpenAI'])
    if (status === 0) return program
  }
  return undefined
}

const script = `
import asyncio, json, sys
from openai import APIError, AsyncOpenAI, OpenAI, RateLimitError

url, model = sys.argv[1:]
settings = {"base_url": url, "api_key": "anything", "max_retries": 0}
client = OpenAI(**settings)
weather = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}

def asking(text):
    return {"model": model, "messages": [{"role": "user", "content": text}]}

out = {}
chat = client.chat.completions
out["whole"] = chat.create(**asking("mock:say Good morning.")).choices[0].message.content
with chat.stream(**asking("mock:words 40")) as stream:
    for event in stream: pass
    out["stream"] = len(stream.get_final_completion().choices[0].message.content.split())
calls = chat.create(
    **asking('mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}'), tools=[weather]
).choices[0].message.tool_calls
out["tools"] = [json.loads(call.function.arguments)["city"] for call in calls]
out["response"] = client.responses.create(model=model, input="mock:say Good evening.").output_text
with client.responses.stream(model=model, input="mock:words 40") as stream:
    for event in stream: pass
    out["response_stream"] = len(stream.get_final_response().output_text.split())
try:
    chat.create(**asking("mock:error 429 Slow down."))
except RateLimitError as error:
    out["refused"] = [type(error).__name__, error.status_code]
try:
    for chunk in chat.create(**asking("mock:error-mid 4 mock:words 40"), stream=True): pass
except APIError as error:
    out["middle"] = error.message

async def raw():
    completions = AsyncOpenAI(**settings).chat.completions
    async with completions.with_streaming_response.create(**asking("mock:say Good night.")) as answer:
        out["raw"] = (await answer.parse()).choices[0].message.content

asyncio.run(raw())
print(json.dumps(out))
`
