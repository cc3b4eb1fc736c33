import { onRequest, type Operator } from '../../../pipeline/stage.ts'
import { isFormat } from '../../../protocols/llm/format.ts'
import type { FinishHeaders } from '../../../protocols/llm/providers/provider.ts'

/**
 * Sets the headers of a provider's request after the credential: where the provider expects that, and which headers it
 * needs besides.
 */
export const finishHeaders = (finish: FinishHeaders = () => undefined): Operator =>
  onRequest('llm-headers', ({ protocol, request }) => {
    const { upstreamFormat, requestModel: model = '', streaming = false } = protocol.llm ?? {}
    // Requests that pass unparsed are treated like the most common ones.
    const format = isFormat(upstreamFormat) ? upstreamFormat : 'completions'
    finish(request.headers, { format, model, streaming })
  })
