import { TextInput, type TextInputProps } from '@mantine/core';
import { koboTyped, typedNaira } from '../../money/money.js';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string;
  onChange?: (text: string) => void;
}

/** Naira as a person types them; what was understood is written out once the field is left. */
export function MoneyInput({ value = '', onChange, onBlur, ...rest }: Props) {
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      leftSection="₦"
      classNames={{ input: 'tabular' }}
      {...rest}
      value={value}
      onChange={(event) => onChange?.(event.currentTarget.value)}
      onBlur={(event) => {
        const kobo = koboTyped(value);
        if (kobo !== null) onChange?.(typedNaira(kobo));
        onBlur?.(event);
      }}
    />
  );
}
