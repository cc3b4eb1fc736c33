import { checkModels } from './models.ts'
import { checkModelProviders } from './providers.ts'
import { checkVirtualModels } from './virtual-models.ts'
import { checkServerTls } from '../../../streams/http/tls/validate/server-tls.ts'
import type { Check } from '../../../config/validate/context.ts'

/** Checks the section `llm`: models are distinct and reachable, and references exist. */
export const checkLlm: Check = (view) => {
  const { llm } = view.file
  if (llm === undefined) return
  if (llm.gateways !== undefined && (llm.port !== undefined || llm.tls !== undefined))
    view.problem('/llm/gateways', 'llm.gateways cannot be used with llm.port or llm.tls')
  if (llm.tls !== undefined) checkServerTls(view, llm.tls, '/llm/tls')
  if (llm.models.length === 0)
    view.warning('/llm/models', 'llm_no_models', 'without models, every request is answered with 404')
  checkModels(view)
  checkModelProviders(view)
  checkVirtualModels(view)
}
