import type { ImportFinding, ImportReason } from '../import-report.ts'

type Reason = ImportReason & { readonly kind: ImportFinding['kind'] }

/** Why a field that was not used is not carried over. */
export const litellmReason = (path: string): Reason => {
  // A field may have the name of a member that every object has.
  const name = [path, path.split('.').at(-1) ?? path].find((one) => Object.hasOwn(REASONS, one))
  const known = name === undefined ? undefined : REASONS[name]
  return known ?? { kind: 'dropped', reason: 'unknown field, or one without a counterpart' }
}

const dropped = (reason: string, hint?: string): Reason => ({
  kind: 'dropped',
  reason,
  ...(hint === undefined ? {} : { hint }),
})
const unneeded = (reason: string): Reason => ({ kind: 'changed', reason: `not needed: ${reason}` })

const REASONS: Readonly<Record<string, Reason>> = {
  'router_settings.timeout': unneeded('another timeout is used'),
  'litellm_settings.request_timeout': unneeded('router_settings.timeout is used'),
  'litellm_settings.allowed_fails': unneeded('router_settings.allowed_fails is used'),
  allowed_fails_policy: dropped('failures of all kinds count alike', 'use health.unhealthyExpression'),
  mock_response: dropped('the provider is called', 'use a model with the provider mock'),
  additional_drop_params: dropped('use transformation of the model to remove a field'),
  access_groups: dropped('there are no groups of models', 'use allowedModels of a key'),
  vertex_credentials: dropped(
    'the credentials of Google come from the environment',
    'set GOOGLE_APPLICATION_CREDENTIALS to the file, or use auth.gcp',
  ),
  cache: dropped(
    'responses of models are not cached',
    'promptCaching of a model uses the cache of its provider',
  ),
  cache_params: dropped('responses of models are not cached'),
  database_url: dropped('there is no database: keys are in the file', 'add keys to llm.policies.apiKey.keys'),
  store_model_in_db: dropped('there is no database: models are in the file'),
  database_connection_pool_limit: dropped('there is no database'),
  max_budget: dropped(
    'budgets are not kept',
    'localRateLimit with type tokens limits tokens, prices are in the metrics',
  ),
  budget_duration: dropped('budgets are not kept', 'localRateLimit with type tokens limits tokens'),
  provider_budget_config: dropped('budgets are not kept', 'localRateLimit with type tokens limits tokens'),
  max_internal_user_budget: dropped('budgets are not kept'),
  default_internal_user_params: dropped('there are no users: keys have metadata'),
  default_key_generate_params: dropped('keys are not made by the gateway'),
  default_team_settings: dropped('there are no teams: keys have metadata'),
  success_callback: dropped('there are no callbacks', 'metrics, access log and trace have usage and cost'),
  failure_callback: dropped('there are no callbacks', 'metrics, access log and trace have failures'),
  callbacks: dropped('there are no callbacks', 'metrics, access log and trace have usage and cost'),
  set_verbose: dropped('levels of the log are set by config.logging.level, or POST /logging'),
  json_logs: dropped('use config.logging.format'),
  drop_params: unneeded(
    'fields that a provider does not know are left out, and reported in x-gateway-dropped',
  ),
  modify_params: unneeded('requests are translated to what a provider takes'),
  context_window_fallbacks: dropped(
    'errors of a request are passed on',
    'routing.conditional selects a model by the request',
  ),
  content_policy_fallbacks: dropped('refusals of a model are passed on'),
  retry_policy: dropped('any failure leads to the next target'),
  retry_after: dropped('the next target is called at once'),
  enable_pre_call_checks: dropped('the length of a prompt is not checked'),
  optional_pre_call_checks: dropped('limits of deployments are not enforced', 'use localRateLimit'),
  redis_host: dropped('deployments share no state over Redis'),
  redis_port: dropped('deployments share no state over Redis'),
  redis_password: dropped('deployments share no state over Redis'),
  redis_url: dropped('deployments share no state over Redis'),
  environment_variables: dropped('values are not copied', 'set the variables where the gateway runs'),
  max_parallel_requests: dropped('use frontendPolicies.admission.maxExchanges'),
  global_max_parallel_requests: dropped('use frontendPolicies.admission.maxExchanges'),
  alerting: dropped('alerts are rules of Prometheus'),
  pass_through_endpoints: dropped('use routes with backends'),
  mcp_servers: dropped('use the section mcp'),
  include: dropped('included files are not read', 'import each of them'),
  num_retries: dropped('each target is tried once', 'use a virtual model with failover'),
  max_retries: dropped('each target is tried once', 'use a virtual model with failover'),
}
