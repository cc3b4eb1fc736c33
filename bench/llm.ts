/**
 * The cost of language models: whole responses and streams, in the client's format and translated, beside the bare
 * proxy on the same POST.
 */
import { compare, ratio, stopAll } from './proxy.ts'
import { type Gateway, startGateway } from './support/gateway.ts'
import { llmConfiguration } from './support/llm-configuration.ts'
import { type Paced, pacedStreams } from './support/paced-streams.ts'
import { type Program, start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const STREAMS = 200
const PACED_ROUNDS = 3
const LONG_PROMPTS = 20
/** Some 100,000 tokens. */
const LONG_PROMPT_LETTERS = 400_000

export const llmFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./llm-upstream.ts')
  const bare = await start('./bare-proxy.ts', { UPSTREAM: upstream.url, CONNECTIONS: String(STREAMS + 50) })
  const same = await startGateway(llmConfiguration(upstream.url, 'openai'))
  const translated = await startGateway(llmConfiguration(upstream.url, 'anthropic'))
  const figures = [
    ...(await ratios(bare, same, translated)),
    ...(await pacedFigures(same, bare, upstream)),
    await longPromptRatio(bare, same),
    await longPromptMemory(upstream, same),
  ]
  await stopAll([upstream, bare, same, translated])
  return figures
}

const ratios = async (bare: Program, same: Gateway, translated: Gateway): Promise<Figure[]> => {
  const figures: Figure[] = []
  const shapes = [
    { name: 'llm.chat', body: chat(false), connections: 32, rounds: 61 },
    { name: 'llm.stream', body: chat(true), connections: 8 },
  ]
  for (const { name, ...load } of shapes) {
    const path = '/v1/chat/completions'
    const [a = [], b = [], c = []] = await compare([same, bare, translated], {
      ...load,
      name,
      path,
      method: 'POST',
      headers: KEY,
    })
    const note = (us: readonly number[]) =>
      `gateway ${median(us).toFixed(1)} µs, bare ${median(b).toFixed(1)} µs`
    figures.push({ name: `${name}.ratio`, value: ratio(a, b), unit: '× bare', note: note(a) })
    figures.push({ name: `${name}.translated.ratio`, value: ratio(c, b), unit: '× bare', note: note(c) })
  }
  return figures
}

/** 200 streams at once, 20 chunks a second each. */
const pacedFigures = async (same: Gateway, bare: Program, upstream: Program): Promise<Figure[]> => {
  const call = (url: string) => ({
    url: `${url}/v1/chat/completions`,
    headers: { 'content-type': 'application/json', 'x-pace': '1', ...KEY },
    body: chat(true),
  })
  for (const { url } of [same, bare]) await pacedStreams(STREAMS / 4, call(url))
  const rounds: { readonly direct: Paced; readonly beside: Paced; readonly ours: Paced }[] = []
  for (let round = 0; round < PACED_ROUNDS; round++)
    rounds.push({
      direct: await pacedStreams(STREAMS, call(upstream.url)),
      beside: await pacedStreams(STREAMS, call(bare.url)),
      ours: await pacedStreams(STREAMS, call(same.url)),
    })
  const middle = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value))
  const added = (which: 'ours' | 'beside') =>
    middle(({ direct, ...round }) => round[which].firstByteMs - direct.firstByteMs).toFixed(2)
  const gap = (which: 'ours' | 'beside') => middle((round) => round[which].gapP99Ms).toFixed(1)
  return [
    {
      name: 'llm.paced.addedFirstByteMs',
      value: middle(({ ours, beside }) => ours.firstByteMs - beside.firstByteMs),
      unit: 'ms',
      note: `median of ${String(STREAMS)} streams at once, beside the bare proxy; beside the same without either: ${added('ours')} ms, the bare proxy ${added('beside')} ms`,
    },
    {
      name: 'llm.paced.addedGapP99Ms',
      value: middle(({ ours, beside }) => ours.gapP99Ms - beside.gapP99Ms),
      unit: 'ms',
      note: `p99 between chunks: ${gap('ours')} ms, the bare proxy ${gap('beside')} ms`,
    },
  ]
}

const longPromptRatio = async (bare: Program, same: Gateway): Promise<Figure> => {
  const [a = [], b = []] = await compare([same, bare], {
    name: 'llm.longPrompt',
    path: '/v1/chat/completions',
    connections: 4,
    method: 'POST',
    body: chat(false, 'word '.repeat(LONG_PROMPT_LETTERS / 5)),
    headers: KEY,
  })
  return {
    name: 'llm.longPrompt.ratio',
    value: ratio(a, b),
    unit: '× bare',
    note: `100,000 tokens: gateway ${median(a).toFixed(0)} µs, bare ${median(b).toFixed(0)} µs`,
  }
}

/** Memory of prompts whose responses are pending: the received bytes, and no parsed form. */
const longPromptMemory = async (upstream: Program, same: Gateway): Promise<Figure> => {
  const body = chat(false, 'word '.repeat(LONG_PROMPT_LETTERS / 5))
  const before = await same.heapBytes()
  const open = Array.from({ length: LONG_PROMPTS }, () =>
    fetch(`${same.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hold': '1', ...KEY },
      body,
    }).then((answer) => answer.text()),
  )
  while (Number(await (await fetch(`${upstream.url}/held`)).text()) < LONG_PROMPTS)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const growth = (await same.heapBytes()) - before
  await fetch(`${upstream.url}/release`)
  await Promise.all(open)
  return {
    name: 'llm.longPrompt.heapPerPrompt',
    value: growth / LONG_PROMPTS / body.length,
    unit: '× body',
    note: 'of the heap, beside the bytes as they came, while the answer is waited for',
  }
}

const chat = (
  stream: boolean,
  prompt = 'Please tell me something interesting about the sea, in two sentences.',
) =>
  JSON.stringify({
    model: 'gpt-4o',
    ...(stream && { stream: true }),
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: prompt },
    ],
    temperature: 0.7,
  })

const KEY = { authorization: 'Bearer sk-of-the-client' }
