/** A string in a JSON value. */
export interface Leaf {
  /** Names and indexes, separated by slashes. */
  readonly path: string
  readonly text: string
}

/** All non-empty strings of a JSON value, in wire order. */
export const leavesOf = (value: unknown, path = ''): Leaf[] => {
  if (typeof value === 'string') return value === '' ? [] : [{ path, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    leavesOf(member, path === '' ? key : `${path}/${key}`),
  )
}

/** Whether the string at a path is no content: a name, a number, a setting, bytes, or an echo of the request. */
export const isNoContent = ({ path, text }: Leaf): boolean => {
  if (insideOfCalls.test(path) && !/[sS]chema\//.test(path)) return false
  const name = path.split('/').findLast((step) => !/^\d+$/.test(step)) ?? ''
  return unsaid.has(name) || unsaidPlaces.some((place) => place.test(path)) || text.startsWith('data:')
}

/** Whether the string at a path is an echo of the request in a response. */
export const isRepeated = ({ path }: Leaf): boolean =>
  /^(response\/)?(instructions|tools|text)(\/|$)/.test(path)

/** The arguments and results of tools, in which every string counts. */
const insideOfCalls =
  /(^|\/)(toolUse\/input|functionCall\/args|function_call\/args|functionResponse\/response|function_response\/response|json)\/|content\/\d+\/input\//

const unsaid: ReadonlySet<string> = new Set(
  `id type role model name object url uri image_url file_url file_id item_id call_id tool_call_id toolUseId tool_use_id
   responseId modelVersion createTime container finish_reason finishReason stop_reason stopReason stop_sequence status phase
   signature reasoning_signature thoughtSignature thought_signature encrypted_content redactedContent bytes s3Location bucketOwner
   media_type mimeType mime_type format detail outcome language ttl cache_control anthropic_version service_tier
   tool_choice effort mode user safety_identifier prompt_cache_key include truncation verbosity category
   system_fingerprint provider fileUri file_uri citation_type page_age obfuscation user_id blockReason probability
   prompt_cache_retention previous_response_id conversation input_type encoding_format server_name server_label
   latency behavior allowedFunctionNames allowed_function_names modality schedule partMetadata performanceConfig serviceTier
   stop stop_sequences stopSequences native_finish_reason speed inference_geo reasoning_effort modalities
   voice display tool_id tool_name cachedContent truncate embedding_purpose task_type rank_fields p`.split(
    /\s+/,
  ),
)

const unsaidPlaces = [
  // Keywords of schemas.
  /(parameters|[sS]chema)(\/.*)?\/(required|propertyOrdering|property_ordering|\$ref|\$schema|minItems|maxItems)(\/\d+)?$/,
  /(^|\/)(generationConfig|generation_config)\/(?!.*[sS]chema\/)/,
  /(^|\/)(metadata|requestMetadata|labels|inferenceConfig|usage|usageMetadata)\//,
  /(^|\/)(logprobs|logprobsResult|safetySettings|safetyRatings|toolConfig\/functionCallingConfig|guardrailConfig)\//,
  /(^|\/)error\/(code|param)$|^(code|param)$/,
  /^(response\/)?(tool_choice|reasoning|incomplete_details)(\/|$)/,
  /(^|\/)(data|file_data)$/,
]
