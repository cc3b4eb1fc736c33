declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly method?: string
    readonly body?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly requests?: readonly (
      | { readonly headers: Readonly<Record<string, string>> }
      | { readonly setupRequest: (request: object) => object }
    )[]
    readonly connections: number
    readonly duration: number
  }
  interface Result {
    readonly requests: { readonly total: number }
    readonly non2xx: number
    readonly errors: number
    readonly timeouts: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
