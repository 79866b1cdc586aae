/** The syntax tree that the parser makes of a template. */
export type Node =
  | { readonly type: 'Program'; readonly body: readonly Node[] }
  | { readonly type: 'Comment' | 'Break' | 'Continue' }
  | {
      readonly type: 'If';
      readonly test: Node;
      readonly body: readonly Node[];
      readonly alternate: readonly Node[];
    }
  | ForNode
  | SetNode
  | MacroNode
  | CallBlockNode
  | { readonly type: 'FilterStatement'; readonly filter: Node; readonly body: readonly Node[] }
  | ExpressionNode;

/** A node that has a value. */
export type ExpressionNode =
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'ArrayLiteral' | 'TupleLiteral'; readonly value: readonly Node[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Node, Node> }
  | IdentifierNode
  | MemberNode
  | CallNode
  | { readonly type: 'BinaryExpression'; readonly operator: Token; readonly left: Node; readonly right: Node }
  | { readonly type: 'UnaryExpression'; readonly operator: Token; readonly argument: Node }
  | { readonly type: 'FilterExpression'; readonly operand: Node; readonly filter: Node }
  | {
      readonly type: 'TestExpression';
      readonly operand: Node;
      readonly negate: boolean;
      readonly test: IdentifierNode;
    }
  | { readonly type: 'SelectExpression'; readonly lhs: Node; readonly test: Node }
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | SliceNode
  | { readonly type: 'KeywordArgumentExpression'; readonly key: IdentifierNode; readonly value: Node }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node };

export interface Token {
  readonly value: string;
}

export interface IdentifierNode {
  readonly type: 'Identifier';
  readonly value: string;
}

export interface MemberNode {
  readonly type: 'MemberExpression';
  readonly object: Node;
  readonly property: Node;
  readonly computed: boolean;
}

export interface CallNode {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}

export interface SliceNode {
  readonly type: 'SliceExpression';
  readonly start?: Node | undefined;
  readonly stop?: Node | undefined;
  readonly step?: Node | undefined;
}

export interface ForNode {
  readonly type: 'For';
  readonly loopvar: Node;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}

export interface SetNode {
  readonly type: 'Set';
  readonly assignee: Node;
  readonly value: Node | null;
  readonly body: readonly Node[];
}

export interface MacroNode {
  readonly type: 'Macro';
  readonly name: IdentifierNode;
  readonly args: readonly Node[];
  readonly body: readonly Node[];
}

export interface CallBlockNode {
  readonly type: 'CallStatement';
  readonly call: CallNode;
  readonly callerArgs: readonly Node[] | null;
  readonly body: readonly Node[];
}
