import { httpVersion } from '../../config/format/http-version.ts'
import { timerMilliseconds } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { UpstreamHttp } from '../../model/resources/policies.ts'

/** `http`. */
export function upstreamHttp({ version, requestTimeout }: File.UpstreamHttp): UpstreamHttp {
  return definedFields<UpstreamHttp>({
    version: given(version, httpVersion),
    requestTimeoutMs: given(requestTimeout, timerMilliseconds),
  })
}
