import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { wallet as readWallet } from '../../api/calls.js';
import { ApiError } from '../../api/request.js';
import type { Wallet } from '../../api/types.js';

/**
 * The wallet as it was when a form of it was begun. A change that is made meanwhile elsewhere is not overwritten: it is
 * refused, and then taken over into what was not touched here, so that it is seen before one saves again.
 */
export function useBegun(wallet: Wallet) {
  const [begun, setBegun] = useState(wallet);

  async function takeOver<Typed extends object>(
    form: UseFormReturnType<Typed>,
    typedOf: (wallet: Wallet) => Typed,
  ): Promise<void> {
    const { wallet: now } = await readWallet(begun.id);
    const [typed, was, is] = [form.getValues(), typedOf(begun), typedOf(now)];
    const untouched = (Object.keys(is) as (keyof Typed)[]).filter(
      (field) => JSON.stringify(typed[field]) === JSON.stringify(was[field]),
    );
    form.setValues({ ...typed, ...Object.fromEntries(untouched.map((field) => [field, is[field]])) });
    setBegun(now);
  }

  /** Sends the change; where another one came first, the form is brought up to date before it fails. */
  const send = async <Typed extends object, Answer>(
    change: Promise<Answer>,
    form: UseFormReturnType<Typed>,
    typedOf: (wallet: Wallet) => Typed,
  ): Promise<Answer> => {
    try {
      return await change;
    } catch (error) {
      // Where even that fails, the form still says that another change came first.
      if (error instanceof ApiError && error.code === 'VERSION_CONFLICT')
        await takeOver(form, typedOf).catch(() => undefined);
      throw error;
    }
  };
  return { begun, send };
}
