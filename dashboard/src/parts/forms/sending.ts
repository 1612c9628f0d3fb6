import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../../api/request.js';
import { messageAtField, problemAtField } from '../../text/words.js';

interface Options<Answer> {
  /** Codes of errors that name no field, and the field that each is about. */
  fieldOf?: Readonly<Record<string, string>>;
  onSuccess?: (answer: Answer) => void;
  onSettled?: () => void;
}

/** Sends a form. What the API says of single fields is put at them; `refusal` is what belongs to none of them. */
export function useSending<Values extends object, Answer>(
  form: UseFormReturnType<Values>,
  send: (values: Values) => Promise<Answer>,
  { fieldOf = {}, onSuccess, onSettled }: Options<Answer> = {},
) {
  const problemsOf = (error: unknown): Readonly<Record<string, string>> => {
    if (!(error instanceof ApiError)) return {};
    const field = fieldOf[error.code];
    if (field) return { [field]: messageAtField(error) };
    // An entry of a list, `merchantAllowlist.3`, is said at the list; one of a group, `limits.totalCap`, at itself.
    const known = Object.entries(error.fields).flatMap(([path, problem]) => {
      const name = path.split('.').find((part) => part in form.values);
      return name === undefined ? [] : [[name, problemAtField(path, problem)] as const];
    });
    return Object.fromEntries(known);
  };
  const sending = useMutation({
    mutationFn: send,
    onSuccess: (answer) => onSuccess?.(answer),
    onError: (error) => {
      const problems = problemsOf(error);
      form.setErrors(problems);
      focusFirst(problems);
    },
    onSettled: () => onSettled?.(),
  });
  const isAtField = Object.keys(problemsOf(sending.error)).length > 0;
  return {
    ...sending,
    refusal: isAtField ? null : sending.error,
    submit: form.onSubmit((values) => sending.mutate(values), focusFirst),
  };
}

/** The first field with an error, as they stand on the screen, gets the focus. */
function focusFirst(problems: object): void {
  const fields = [...document.querySelectorAll<HTMLElement>('[data-path]')];
  fields.find(({ dataset }) => (dataset.path ?? '') in problems)?.focus();
}
