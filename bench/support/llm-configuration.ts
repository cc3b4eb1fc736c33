/** The configuration of a gateway whose models are all of one provider, at another address. */
export const llmConfiguration = (url: string, provider: string, guardrails = '{}'): string => `
config:
  adminAddr: 127.0.0.1:0
  statsAddr: 127.0.0.1:0
  readinessAddr: 127.0.0.1:0
  logging: { format: json }
frontendPolicies: { accessLog: { filter: 'false' } }
gateways:
  default: { port: 0, address: 127.0.0.1 }
llm:
  gateways: [default]
  models:
    - name: '*'
      provider: ${provider}
      guardrails: ${guardrails}
      params: { apiKey: sk-of-the-provider, baseUrl: '${url}/v1' }
`
