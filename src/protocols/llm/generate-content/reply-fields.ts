/** Fields of answers, by where they stand: those that are read, and of the others those that may be named. */
export const replyFields = {
  readOfPart: new Set(['text', 'thought', 'thoughtSignature', 'functionCall']),
  readOfCandidate: new Set([
    'content',
    'finishReason',
    'finishMessage',
    'index',
    // Figures of the answer's making, which say nothing.
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
