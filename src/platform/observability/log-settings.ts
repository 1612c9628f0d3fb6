import { IsIn, IsOptional, Matches } from 'class-validator';
import { Share } from '../setting-rules.js';

export class LogSettings {
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /** Share of payments. */
  @Share()
  LOG_APPROVED_SAMPLE = 1;

  /** Unset: the one that the build noted. */
  @IsOptional()
  @Matches(/^[0-9a-f]{7,40}$/, { message: '$property must be 7 to 40 hexadecimal digits' })
  GIT_COMMIT?: string;
}
