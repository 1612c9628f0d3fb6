import { About, Email, Optional, Text } from '../http/fields.js';
import {
  OR_NULL,
  ShownConstant,
  ShownId,
  ShownObject,
  ShownText,
  ShownTime,
  StatusSuccess,
} from '../http/shown.js';

export class OnboardingBody {
  @About('The name of the business.', 'Ada Foods Ltd')
  @Text(2, 200)
  businessName: string;

  @About('Answered trimmed and in lower case.', 'office@adafoods.ng')
  @Email()
  contactEmail: string;

  @Optional()
  @About('E.164 is recommended, not required. Absent in a later call: the number is kept.', '+2348012345678')
  @Text(1, 50)
  contactPhone?: string | null;
}

export class Business {
  @ShownId('The business; the same in every later call.')
  businessId: string;

  @ShownText('The name of the business.', 'Ada Foods Ltd')
  name: string;

  @ShownText('As compared: trimmed, lower case.', 'office@adafoods.ng', { format: 'email' })
  contactEmail: string;

  @ShownText('Null when none was given.', '+2348012345678', OR_NULL)
  contactPhone: string | null;

  @ShownConstant('active')
  status: 'active';

  @ShownTime('When the business was registered.')
  createdAt: Date;
}

export class BusinessAnswer extends StatusSuccess(Business) {}

export class OwnBusinessAnswer {
  @ShownConstant(true)
  success: true;

  @ShownObject(Business, 'The business; null without one.', OR_NULL)
  data: Business | null;
}
