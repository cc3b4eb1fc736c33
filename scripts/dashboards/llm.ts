import { type Dashboard, quantile, rate, SELECTOR } from './panel.ts'

const calls = 'agentgateway_gen_ai_server_request_duration'
const tokens = 'agentgateway_gen_ai_client_token_usage_sum'
const cost = 'agentgateway_gen_ai_client_cost_usd_total'
const model = ['gen_ai_system', 'gen_ai_response_model']
const modelLegend = '{{gen_ai_system}} {{gen_ai_response_model}}'

/** Usage, cost and speed of language models. */
export const llmDashboard: Dashboard = {
  uid: 'agentgateway-llm',
  title: 'agentgateway / Language models',
  description:
    'Calls of language models: tokens, dollars, speed and guards. Each attempt counts for the model that was called.',
  variables: ['gateway', 'route'],
  variableMetric: `${calls}_count`,
  sections: [
    {
      title: 'At a glance',
      panels: [
        {
          ...{ title: 'Calls', unit: 'reqps', type: 'stat', width: 6 },
          description: 'Attempts at a provider in a second.',
          queries: [{ expr: rate(`${calls}_count`, []), legend: 'calls' }],
        },
        {
          ...{ title: 'Tokens', unit: 'short', type: 'stat', width: 6 },
          description: 'Input and output tokens in a second.',
          queries: [
            {
              expr: rate(tokens, ['gen_ai_token_type'], `${SELECTOR}, gen_ai_token_type=~"input|output"`),
              legend: '{{gen_ai_token_type}}',
            },
          ],
        },
        {
          ...{ title: 'Cost per hour', unit: 'currencyUSD', type: 'stat', width: 6 },
          description:
            'What an hour costs at the present rate. Calls without a known price are not part of it.',
          queries: [{ expr: `3600 * ${rate(cost, [])}`, legend: 'per hour' }],
        },
        {
          ...{ title: 'Cost of the last 24 hours', unit: 'currencyUSD', type: 'stat', width: 6 },
          description: 'Sum over all models with a known price.',
          queries: [{ expr: `sum (increase(${cost}{${SELECTOR}}[24h]))`, legend: '24 h' }],
        },
      ],
    },
    {
      title: 'Usage and cost',
      panels: [
        {
          ...{ title: 'Calls by model', unit: 'reqps', isStacked: true },
          description: 'A response model unknown means that no provider has answered.',
          queries: [{ expr: rate(`${calls}_count`, model), legend: modelLegend }],
        },
        {
          ...{ title: 'Tokens by model', unit: 'short', isStacked: true },
          description: 'Input and output tokens in a second.',
          queries: [
            {
              expr: rate(
                tokens,
                [...model, 'gen_ai_token_type'],
                `${SELECTOR}, gen_ai_token_type=~"input|output"`,
              ),
              legend: `${modelLegend} {{gen_ai_token_type}}`,
            },
          ],
        },
        {
          ...{ title: 'Input tokens from caches', unit: 'percentunit' },
          description:
            'Share of the input that providers read from their caches. A drop often follows a changed prompt.',
          queries: [
            {
              expr: `${rate(tokens, model, `${SELECTOR}, gen_ai_token_type="input_cache_read"`)} / ${rate(tokens, model, `${SELECTOR}, gen_ai_token_type="input"`)}`,
              legend: modelLegend,
            },
          ],
        },
        {
          ...{ title: 'Cost per hour by model', unit: 'currencyUSD', isStacked: true },
          description: 'Dollars an hour at the present rate.',
          queries: [{ expr: `3600 * ${rate(cost, model)}`, legend: modelLegend }],
        },
        {
          ...{ title: 'Cost per hour by route', unit: 'currencyUSD', isStacked: true },
          description:
            'Which application spends it. Labels of config.metrics.fields.add split it further, by team for example.',
          queries: [{ expr: `3600 * ${rate(cost, ['route'])}`, legend: '{{route}}' }],
        },
        {
          ...{ title: 'Cost of 24 hours by model', unit: 'currencyUSD', type: 'table' },
          description: 'Dollars of the last day.',
          queries: [
            {
              expr: `sum by (${model.join(', ')}) (increase(${cost}{${SELECTOR}}[24h]))`,
              legend: modelLegend,
            },
          ],
        },
        {
          ...{ title: 'Price lookups', unit: 'cps', isStacked: true },
          description:
            'Anything but Exact means a call whose cost is not counted: complete config.modelCatalog.',
          queries: [
            { expr: rate('agentgateway_cost_catalog_lookups_total', ['status']), legend: '{{status}}' },
          ],
        },
      ],
    },
    {
      title: 'Speed',
      panels: [
        {
          ...{ title: 'Duration of calls', unit: 's' },
          description: 'From the call to the last byte of the response. Points are exemplars.',
          queries: [0.5, 0.95].map((q) => ({
            expr: quantile(q, calls, model),
            legend: `${modelLegend} p${q * 100}`,
            exemplars: true,
          })),
        },
        {
          ...{ title: 'Time to the first token, 95th percentile', unit: 's' },
          description: 'Of streams: how long a user looks at nothing.',
          queries: [
            {
              expr: quantile(0.95, 'agentgateway_gen_ai_server_time_to_first_token', model),
              legend: modelLegend,
            },
          ],
        },
        {
          ...{ title: 'Time for each further token, 95th percentile', unit: 's' },
          description: 'Of streams: how fast the text appears.',
          queries: [
            {
              expr: quantile(0.95, 'agentgateway_gen_ai_server_time_per_output_token', model),
              legend: modelLegend,
            },
          ],
        },
      ],
    },
    {
      title: 'Errors and guards',
      panels: [
        {
          ...{ title: 'Failed requests', unit: 'reqps', isStacked: true },
          description: 'Requests to language models with a status of 400 or above.',
          queries: [
            {
              expr: rate(
                'agentgateway_requests_total',
                ['status', 'reason'],
                `${SELECTOR}, protocol="llm", status=~"[45].."`,
              ),
              legend: '{{status}} {{reason}}',
            },
          ],
        },
        {
          ...{ title: 'Checks of guards', unit: 'cps', isStacked: true },
          description:
            'FailOpen and FailClosed mean that a guard gave no verdict: its service is down or slow. Not filtered by route.',
          queries: [
            {
              expr: rate('agentgateway_guardrail_checks_total', ['phase', 'action'], 'job=~"$job"'),
              legend: '{{phase}} {{action}}',
            },
          ],
        },
        {
          ...{ title: 'Fields lost in translation', unit: 'cps' },
          description:
            'Fields of requests or responses that the format of the other side does not have. Not filtered by route.',
          queries: [
            {
              expr: rate('agentgateway_gen_ai_dropped_fields_total', ['field'], 'job=~"$job"'),
              legend: '{{field}}',
            },
          ],
        },
      ],
    },
  ],
}
