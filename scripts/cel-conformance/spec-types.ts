import { type Type, Type_PrimitiveType, Type_WellKnownType } from '@bufbuild/cel-spec/cel/expr/checked_pb.js'
import { ForeignValue } from './spec-values.ts'

/** The name in expressions of a type in the specification's tests. */
export const typeNameOf = (type: Type | undefined): string => {
  const kind = type?.typeKind
  switch (kind?.case) {
    case 'dyn':
      return 'dyn'
    case 'null':
      return 'null'
    case 'primitive':
      return primitives[kind.value] ?? 'dyn'
    case 'wellKnown':
      return wellKnown[kind.value] ?? 'dyn'
    case 'listType':
      return `list<${typeNameOf(kind.value.elemType)}>`
    case 'mapType':
      return `map<${typeNameOf(kind.value.keyType)}, ${typeNameOf(kind.value.valueType)}>`
    case 'type':
      return 'type'
    default:
      throw new ForeignValue(String(kind?.case))
  }
}

const primitives: Readonly<Record<number, string>> = {
  [Type_PrimitiveType.BOOL]: 'bool',
  [Type_PrimitiveType.INT64]: 'int',
  [Type_PrimitiveType.UINT64]: 'uint',
  [Type_PrimitiveType.DOUBLE]: 'double',
  [Type_PrimitiveType.STRING]: 'string',
  [Type_PrimitiveType.BYTES]: 'bytes',
}

const wellKnown: Readonly<Record<number, string>> = {
  [Type_WellKnownType.ANY]: 'dyn',
  [Type_WellKnownType.TIMESTAMP]: 'google.protobuf.Timestamp',
  [Type_WellKnownType.DURATION]: 'google.protobuf.Duration',
}
