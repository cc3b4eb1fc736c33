import type { JsonObject } from '../json-rpc/message.ts'

/** An operation of an HTTP API as a tool. */
export interface OpenApiTool {
  /** At most 64 characters, letters, digits, `_`, `-` and `.`; unique in its document. */
  readonly name: string
  readonly title?: string | undefined
  readonly description: string
  /**
   * JSON Schema 2020-12: an object of `path`, `query`, `header`, `cookie` and `body`, as far as the
   * operation has them.
   */
  readonly inputSchema: JsonObject
  readonly annotations: JsonObject
  readonly plan: RequestPlan
}

/** How a request is built from arguments. */
export interface RequestPlan {
  readonly method: string
  /** Literal texts and the parameters between them. */
  readonly path: readonly (string | ParameterPlan)[]
  readonly query: readonly ParameterPlan[]
  readonly header: readonly ParameterPlan[]
  readonly cookie: readonly ParameterPlan[]
  readonly body: BodyPlan | undefined
  /** Value of the Accept field. */
  readonly accept: string
}

/** How one value is serialised. */
export interface ParameterPlan {
  /** Header names are lower-case; `argument` is the name in the arguments. */
  readonly name: string
  readonly argument: string
  readonly style: Style
  readonly explode: boolean
  /** Serialised as JSON, whatever the style. */
  readonly isJson: boolean
  /** Characters such as `/` and `:` are not escaped in a query. */
  readonly allowReserved: boolean
}

/** How arrays and objects are serialised. */
export type Style =
  'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'cookie'

/** How a body is serialised. */
export interface BodyPlan {
  readonly kind: 'json' | 'form' | 'multipart' | 'text' | 'binary'
  readonly contentType: string
  /** For forms: rules for single fields, by name. */
  readonly fields: ReadonlyMap<string, FieldPlan>
}

/** A field of a form. */
export interface FieldPlan {
  /** The argument is base64, the part its decoded bytes. */
  readonly isFile: boolean
  readonly contentType: string | undefined
  /** Undefined: values repeat, objects are JSON. */
  readonly style: ParameterPlan | undefined
}
