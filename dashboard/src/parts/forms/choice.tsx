import { useId } from 'react';

interface Props<Value extends string> {
  label: string;
  value: Value;
  data: readonly { readonly value: Value; readonly label: string }[];
  onChange: (value: Value) => void;
}

/**
 * One of a few, side by side. Radio buttons and styles alone: a control that measures itself makes the browser lay out
 * the whole screen while it is still being put together.
 */
export function Choice<Value extends string>({ label, value: chosen, data, onChange }: Props<Value>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className="choice">
      {data.map(({ value, label: text }) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => onChange(value)}
          />
          <span>{text}</span>
        </label>
      ))}
    </div>
  );
}
