import { onRequest, type Operator } from '../../../pipeline/stage.ts'
import { isFormat } from '../../../protocols/llm/format.ts'
import type { FinishHeaders } from '../../../protocols/llm/providers/provider.ts'

/**
 * Gives requests the headers that a provider wants, once the credential is there: where it wants that, and what it wants
 * with it.
 */
export const finishHeaders = (finish: FinishHeaders = () => undefined): Operator =>
  onRequest('llm-headers', ({ protocol, request }) => {
    const { upstreamFormat, requestModel: model = '', streaming = false } = protocol.llm ?? {}
    // What goes by unseen is taken for what most of it is.
    const format = isFormat(upstreamFormat) ? upstreamFormat : 'completions'
    finish(request.headers, { format, model, streaming })
  })
