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
