import { useForm, type UseFormInput, type UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useFound, useKeeping } from './kept.js';

/** As useForm. What was typed is kept alone: the rest may have been changed elsewhere when one is back. */
export function useKeptForm<Typed extends object>(
  name: string,
  input: UseFormInput<Typed> & { initialValues: Typed },
): UseFormReturnType<Typed> {
  const found = useFound<Partial<Typed>>(name);
  const [initial] = useState(input.initialValues);
  const form = useForm<Typed>({ ...input, initialValues: { ...initial, ...found } });
  useKeeping(name, () => typedIn(form.getValues(), initial));
  return form;
}

function typedIn<Typed extends object>(values: Typed, initial: Typed): Partial<Typed> {
  const isTyped = ([field, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(initial[field as keyof Typed]);
  return Object.fromEntries(Object.entries(values).filter(isTyped)) as Partial<Typed>;
}
