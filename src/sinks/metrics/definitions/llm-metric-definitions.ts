import { counterOf, histogramOf, routeLabelNames } from './metric-definition.ts'

const genAi = [
  'gen_ai_operation_name',
  'gen_ai_system',
  'gen_ai_request_model',
  'gen_ai_response_model',
  ...routeLabelNames,
]

const tokens = Array.from({ length: 14 }, (_, i) => 4 ** i)
const modelDurations = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const perToken = [0.001, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const firstToken = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Metrics of language models and of the guards of conversations with them. */
export const llmMetricDefinitions = {
  genAiTokenUsage: histogramOf(
    'agentgateway_gen_ai_client_token_usage',
    'Tokens that a call of a language model used, by kind.',
    ['gen_ai_token_type', ...genAi],
    tokens,
  ),
  genAiCost: counterOf(
    'agentgateway_gen_ai_client_cost_usd',
    'What calls of language models cost, in US dollars, where the price is known.',
    genAi,
  ),
  genAiRequestDuration: histogramOf(
    'agentgateway_gen_ai_server_request_duration',
    'Seconds from a call of a language model to the last byte of its answer.',
    genAi,
    modelDurations,
  ),
  genAiTimePerOutputToken: histogramOf(
    'agentgateway_gen_ai_server_time_per_output_token',
    'Seconds for each token of a streamed answer after the first.',
    genAi,
    perToken,
  ),
  genAiTimeToFirstToken: histogramOf(
    'agentgateway_gen_ai_server_time_to_first_token',
    'Seconds from a call of a language model to the first token of a streamed answer.',
    genAi,
    firstToken,
  ),
  costLookups: counterOf(
    'agentgateway_cost_catalog_lookups',
    'Looks for the price of a model: Exact, Unpriced, Missing, or NoCatalog.',
    ['status', ...genAi],
  ),
  genAiDroppedFields: counterOf(
    'agentgateway_gen_ai_dropped_fields',
    'Fields that had no place in the format that a request or an answer was translated to.',
    ['field'],
  ),
  guardChecks: counterOf(
    'agentgateway_guardrail_checks',
    'Checks of guards of conversations with language models.',
    ['phase', 'action'],
  ),
} as const
