import { useId, useState } from 'preact/hooks';
import type { JsonObject, JsonValue } from '../cli/workbench/model.ts';
import { exampleOf, isObject, readSchema, type Schema, type SchemaField } from './schema.ts';

type Change = (value: JsonValue | undefined) => void;

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  /** Undefined if the field is not sent. */
  readonly value: JsonValue | undefined;
  readonly required: boolean;
  readonly onChange: Change;
}

interface FormProps {
  readonly schema: JsonObject;
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
}

/** The fields of an endpoint's arguments, made from their schema. */
export function ArgumentFields({ schema, value, onChange }: FormProps) {
  const { fields } = readSchema(schema);
  if (fields.length === 0) return <p class="dim">No arguments.</p>;
  return <Fields fields={fields} value={value} onChange={onChange} />;
}

interface FieldsProps {
  readonly fields: readonly SchemaField[];
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
}

function Fields({ fields, value, onChange }: FieldsProps) {
  const change = (name: string, next: JsonValue | undefined) => {
    const { [name]: _, ...others } = value;
    onChange(next === undefined ? others : { ...value, [name]: next });
  };
  return (
    <>
      {fields.map(({ name, required, schema }) => (
        <Field
          key={name}
          name={name}
          schema={schema}
          required={required}
          value={value[name]}
          onChange={(next) => change(name, next)}
        />
      ))}
    </>
  );
}

function Field(props: FieldProps) {
  const { schema } = props;
  if (schema.type === 'object' && schema.fields.length > 0) return <ObjectField {...props} />;
  if (schema.type === 'array' && schema.items !== null) return <ListField {...props} />;
  return <PlainField {...props} />;
}

function ObjectField({ name, schema, value, required, onChange }: FieldProps) {
  const given = isObject(value) ? value : {};
  const absent = !isObject(value);
  return (
    <fieldset>
      <legend>
        {name}{' '}
        <Optional
          required={required}
          absent={absent}
          onAdd={() => onChange(exampleOf(schema))}
          onRemove={() => onChange(undefined)}
          name={name}
        />
      </legend>
      <Hint schema={schema} />
      {absent ? null : <Fields fields={schema.fields} value={given} onChange={onChange} />}
    </fieldset>
  );
}

function ListField({ name, schema, value, required, onChange }: FieldProps) {
  const items = Array.isArray(value) ? value : [];
  const { items: item } = schema;
  if (item === null) return null;
  const put = (index: number, next: JsonValue | undefined) =>
    onChange(items.map((one, at) => (at === index ? (next ?? null) : one)));
  return (
    <fieldset>
      <legend>
        {name} <span class="dim">{items.length === 1 ? '1 item' : `${items.length} items`}</span>
      </legend>
      <Hint schema={schema} />
      {items.map((one, index) => (
        <div class="item" key={index}>
          <Field
            name={`${name} ${index + 1}`}
            schema={item}
            required
            value={one}
            onChange={(next) => put(index, next)}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="quiet" onClick={() => onChange([...items, exampleOf(item)])}>
        Add to {name}
      </button>
      {value === undefined || required ? null : (
        <button type="button" class="quiet" onClick={() => onChange(undefined)}>
          Do not send {name}
        </button>
      )}
    </fieldset>
  );
}

interface OptionalProps {
  readonly name: string;
  readonly required: boolean;
  readonly absent: boolean;
  readonly onAdd: () => void;
  readonly onRemove: () => void;
}

function Optional({ name, required, absent, onAdd, onRemove }: OptionalProps) {
  if (absent) {
    return (
      <button type="button" class="quiet" onClick={onAdd}>
        Fill in {name}
      </button>
    );
  }
  return required ? null : (
    <button type="button" class="quiet" onClick={onRemove}>
      Do not send {name}
    </button>
  );
}

function PlainField({ name, schema, value, required, onChange }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {name}
        {required ? <span class="need"> required</span> : null}
      </label>
      <Control id={id} schema={schema} value={value} required={required} onChange={onChange} />
      {schema.nullable ? (
        <label class="null">
          <input
            type="checkbox"
            checked={value === null}
            onChange={({ currentTarget }) => onChange(currentTarget.checked ? null : undefined)}
          />{' '}
          null<span class="hidden"> for {name}</span>
        </label>
      ) : null}
      <Hint schema={schema} id={`${id}-hint`} />
    </div>
  );
}

function Hint({ schema, id }: { readonly schema: Schema; readonly id?: string }) {
  const { description, limits, format, type, fallback } = schema;
  const facts = [
    format ?? type,
    ...limits,
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ];
  return (
    <p class="hint" {...(id === undefined ? {} : { id })}>
      {description === null ? '' : `${description} · `}
      {facts.join(' · ')}
    </p>
  );
}

interface ControlProps {
  readonly id: string;
  readonly schema: Schema;
  readonly value: JsonValue | undefined;
  readonly required: boolean;
  readonly onChange: Change;
}

function Control({ id, schema, value, required, onChange }: ControlProps) {
  const { type, choices, format, long } = schema;
  const common = { id, 'aria-describedby': `${id}-hint`, disabled: value === null };
  const options = choices ?? (type === 'boolean' ? [true, false] : null);
  if (options !== null) {
    const picked = options.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
    return (
      <select
        {...common}
        value={String(picked)}
        onChange={({ currentTarget }) => onChange(options[Number(currentTarget.value)])}
      >
        <option value="-1">{required ? 'choose' : 'not sent'}</option>
        {options.map((one, index) => (
          <option key={String(one)} value={String(index)}>
            {schema.titles?.[index] ?? (typeof one === 'string' ? one : JSON.stringify(one))}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'object' || type === 'array' || type === 'any') {
    return <JsonControl {...common} value={value} onChange={onChange} />;
  }
  const text =
    value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onChange(toValue(currentTarget.value, type, required));
  if (long || (type === 'string' && text.includes('\n')))
    return <textarea {...common} rows={4} value={text} onInput={onInput} />;
  const [example] = schema.examples;
  const placeholder = example === undefined ? '' : String(example);
  const shown = { ...common, autocomplete: 'off', placeholder, value: text, onInput };
  if (format === 'date') return <input {...shown} type="date" />;
  return (
    <input {...shown} type="text" spellcheck={false} inputMode={type === 'string' ? 'text' : 'decimal'} />
  );
}

/** The value of a text. A text that is no number is sent as it is, so that the server's error can be seen. */
function toValue(text: string, type: string, required: boolean): JsonValue | undefined {
  if (type === 'string') return text === '' && !required ? undefined : text;
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text.trim() ? number : text;
}

interface JsonControlProps {
  readonly id: string;
  readonly value: JsonValue | undefined;
  readonly onChange: Change;
}

/** A value of any form, written as JSON. */
export function JsonControl({ value, onChange, ...common }: JsonControlProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string | null>(null);
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }) => {
    setText(currentTarget.value);
    try {
      onChange(currentTarget.value.trim() === '' ? undefined : JSON.parse(currentTarget.value));
      setProblem(null);
    } catch (thrown) {
      setProblem(String(thrown));
    }
  };
  return (
    <>
      <textarea
        {...common}
        rows={5}
        spellcheck={false}
        value={text}
        onInput={onInput}
        aria-invalid={problem !== null}
      />
      {problem === null ? null : <p class="bad">{problem}</p>}
    </>
  );
}
