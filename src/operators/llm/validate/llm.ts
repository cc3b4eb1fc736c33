import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { examineModels } from './llm-models.ts'
import { examineModelProviders } from './llm-providers.ts'
import { examineVirtualModels } from './llm-virtual-models.ts'
import type { Examine } from './view.ts'

/** The section `llm`: that models can be told apart and reached, and that what is referred to is there. */
export const examineLlm: Examine = (view) => {
  const { llm } = view.file
  if (llm === undefined) return
  if (llm.gateways !== undefined && (llm.port !== undefined || llm.tls !== undefined))
    view.problem('/llm/gateways', 'llm.gateways cannot be used with llm.port or llm.tls')
  if (llm.tls !== undefined) examineTls(llm.tls)
  if (llm.models.length === 0)
    view.warning('/llm/models', 'llm_no_models', 'without models, every request is answered with 404')
  examineModels(view)
  examineModelProviders(view)
  examineVirtualModels(view)

  function examineTls({ cert, key }: File.ServerTls): void {
    if (cert === undefined) view.problem(child('/llm', 'tls'), "tls requires 'cert' (or 'spiffe')")
    if (key === undefined) view.problem(child('/llm', 'tls'), "tls requires 'key' (or 'spiffe')")
  }
}
