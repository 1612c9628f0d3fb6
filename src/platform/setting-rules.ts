import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsUrl, Matches, ValidateBy } from 'class-validator';

export const WholeNumber = (min: number, max: number) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (/^\d+$/.test(String(value)) ? Number(value) : value)),
    ValidateBy({
      name: 'wholeNumber',
      validator: {
        validate: (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
        defaultMessage: () => `$property must be a whole number from ${min} to ${max}`,
      },
    }),
  );

/** Holds no user and password: a client that refuses such a URL quotes it in its error. */
export const IsWebUrl = (example: string) =>
  IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: `$property must be like ${example}` },
  );

/** Rejects a URL whose password would end early, at a raw `@ / ? #` or a lone `%`: its rest would pass for the host. */
export const IsServerUrl = (example: string, protocols: string[]) => {
  const message = `$property must be like ${example}; in the password, @ is written %40, : %3A, / %2F, ? %3F, # %23 and % %25`;
  return applyDecorators(
    IsUrl({ protocols, require_protocol: true, require_tld: false }, { message }),
    ValidateBy({ name: 'parsedAsMeant', validator: { validate: isParsedAsMeant } }, { message }),
  );
};

function isParsedAsMeant(url: unknown): boolean {
  if (!/^[a-z]+:\/\/([^@/?#]*@)?[^@/?#]*([/?][^@#]*)?$/i.test(String(url))) return false;
  try {
    decodeURIComponent(String(url));
    return true;
  } catch {
    return false;
  }
}

export const IsPostgresUrl = () =>
  IsServerUrl('postgres://user:password@host:5432/database', ['postgres', 'postgresql']);

/** `5,300,1800` as numbers; what is no number becomes one that no rule accepts. */
export const Numbers = () =>
  Transform(({ value }: { value: unknown }) =>
    String(value)
      .split(',')
      .map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) : NaN)),
  );

/** For texts of any form: no message shows a blank around one, such as the line end that a file leaves behind a secret. */
export const NoOuterBlanks = () =>
  Matches(/^\S(.*\S)?$/s, { message: '$property must not begin or end with a blank or a line end' });
