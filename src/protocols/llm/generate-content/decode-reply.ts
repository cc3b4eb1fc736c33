import type { JsonObject } from '../../json/json-object.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply, Finish } from '../chat/reply.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { callIdIn, newCallId } from './call-id.ts'
import { createdAtOf } from './created-at.ts'
import { finishOf } from './finish-reason.ts'
import { knownFields } from './known-fields.ts'
import { replyRules } from './rules.ts'
import { finalUsage, usageIn } from './usage.ts'

/** Decodes `GenerateContentResponse`. */
export const decodeReply = (body: JsonObject, losses: Losses): ChatReply => {
  const reply = new Fields(body, '', replyRules)
  const [candidate, ...more] = reply.list('candidates')
  if (more.length > 0) losses.drop('candidates')
  return {
    id: reply.text('responseId') ?? '',
    model: reply.text('modelVersion') ?? '',
    createdAtS: createdAtOf(reply.any('createTime')),
    ...(candidate ? decodeCandidate(candidate, losses) : decodeBlocked(reply)),
    usage: finalUsage(usageIn(reply.any('usageMetadata'))),
  }
}

const decodeCandidate = (candidate: Fields, losses: Losses): { parts: readonly Part[]; finish: Finish } => {
  candidate.dropOthers(replyFields.readOfCandidate, replyFields.knownOfCandidate, 'candidates.', losses)
  const parts: Part[] = []
  for (const part of candidate.fields('content')?.list('parts') ?? []) addPart(parts, part, losses)
  const hasCalls = parts.some(({ type }) => type === 'toolCall')
  return { parts, finish: finishOf(candidate.text('finishReason') ?? 'STOP', hasCalls) }
}

/** A blocked prompt has no candidates but a block reason. */
const decodeBlocked = (reply: Fields): { parts: readonly Part[]; finish: Finish } => {
  if (!reply.fields('promptFeedback')?.has('blockReason')) reply.refuse('candidates', 'is missing')
  return { parts: [], finish: 'contentFilter' }
}

const addPart = (parts: Part[], part: Fields, losses: Losses): void => {
  part.dropOthers(replyFields.readOfPart, knownFields.part, 'candidates.content.parts.', losses)
  const signature = part.text('thoughtSignature')
  const call = part.fields('functionCall')
  if (call) {
    if (call.has('partialArgs')) call.refuse('partialArgs', 'is not supported')
    const name = call.neededText('name')
    const args = JSON.stringify(call.json('args') ?? {})
    parts.push({ type: 'toolCall', id: callIdIn(call) ?? newCallId(), name, arguments: args, signature })
    return
  }
  const text = part.text('text')
  const last = parts.at(-1)
  if (part.flag('thought')) {
    if (text === undefined && signature === undefined) return
    // A signature completes the thinking.
    if (last?.type === 'thinking' && last.signature === undefined)
      parts[parts.length - 1] = { ...last, text: last.text + (text ?? ''), signature }
    else parts.push({ type: 'thinking', text: text ?? '', signature })
    return
  }
  if (signature !== undefined) losses.drop('candidates.content.parts.thoughtSignature')
  if (text === undefined || text === '') return
  if (last?.type === 'text') parts[parts.length - 1] = { ...last, text: last.text + text }
  else parts.push({ type: 'text', text })
}

/** Fields of responses by location: those that are decoded, and others that may be named as losses. */
export const replyFields = {
  readOfPart: new Set(['text', 'thought', 'thoughtSignature', 'functionCall']),
  readOfCandidate: new Set([
    'content',
    'finishReason',
    'finishMessage',
    'index',
    // Statistics that clients do not need.
    'tokenCount',
    'avgLogprobs',
    'safetyRatings',
  ]),
  knownOfCandidate: new Set([
    'citationMetadata',
    'groundingMetadata',
    'groundingAttributions',
    'logprobsResult',
    'urlContextMetadata',
    'continuationToken',
  ]),
} as const
