import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsUrl, Matches, ValidateBy, type ValidationArguments } from 'class-validator';

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

export const Share = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      /^\d(\.\d+)?$/.test(String(value)) ? Number(value) : value,
    ),
    ValidateBy({
      name: 'share',
      validator: {
        validate: (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1,
        defaultMessage: () => '$property must be a number from 0 to 1, such as 0.05',
      },
    }),
  );

/** No user and password: clients quote refused URLs. */
export const IsWebUrl = (example: string) =>
  IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: `$property must be like ${example}` },
  );

/** Rejects passwords with a raw `@ / ? #` or a lone `%`, which would move the host. */
export const IsServerUrl = (
  example: string,
  protocols: string[],
  reasonOf: (value: unknown) => string | undefined = () => undefined,
) => {
  const usual = `$property must be like ${example}; in the password, @ is written %40, : %3A, / %2F, ? %3F, # %23 and % %25`;
  const message = ({ value }: ValidationArguments) => reasonOf(value) ?? usual;
  return applyDecorators(
    IsUrl({ protocols, require_protocol: true, require_tld: false }, { message }),
    ValidateBy(
      {
        name: 'parsedAsMeant',
        validator: { validate: (url) => isParsedAsMeant(url) && reasonOf(url) === undefined },
      },
      { message },
    ),
  );
};

const UNAMBIGUOUS_URL = /^[a-z]+:\/\/(?:[^@/?#]*@)?([^@/?#]*)([/?][^@#]*)?$/i;

function isParsedAsMeant(url: unknown): boolean {
  if (!UNAMBIGUOUS_URL.test(String(url))) return false;
  try {
    decodeURIComponent(String(url));
    return true;
  } catch {
    return false;
  }
}

const ONE_SERVER = 'name one address that always leads to the primary, that of HAProxy or of the provider';

/** The driver supports neither. */
function whyNotOneServer(url: unknown): string | undefined {
  const [, authority = '', rest = ''] = UNAMBIGUOUS_URL.exec(String(url)) ?? [];
  const parameters = new URLSearchParams(rest.split('?')[1]);
  if (`${authority}${parameters.getAll('host').join(',')}`.includes(','))
    return `$property names several hosts, and the service connects to one alone; ${ONE_SERVER}`;
  if (parameters.has('target_session_attrs'))
    return `$property holds target_session_attrs, which chooses no server here; ${ONE_SERVER}`;
  return undefined;
}

export const IsPostgresUrl = () =>
  IsServerUrl('postgres://user:password@host:5432/database', ['postgres', 'postgresql'], whyNotOneServer);

/** `5,300,1800` as numbers; invalid ones fail every rule. */
export const Numbers = () =>
  Transform(({ value }: { value: unknown }) =>
    String(value)
      .split(',')
      .map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) : NaN)),
  );

/** Former secrets, separated by commas. A line end at an end belongs to one that was set so. */
export const FormerSecrets = () => {
  const message =
    '$property must be 1 to 5 secrets of 32 characters or more, separated by commas without blanks';
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => String(value).split(',')),
    ArrayMaxSize(5, { message }),
    Matches(/^\S.{31,}$/s, { each: true, message }),
  );
};

/** Rejects invisible blanks, such as a file's line end. */
export const NoOuterBlanks = () =>
  Matches(/^\S(.*\S)?$/s, { message: '$property must not begin or end with a blank or a line end' });
