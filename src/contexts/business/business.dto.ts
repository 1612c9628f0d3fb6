import { ApiField, Email, EMAIL_FORMAT, Name, Optional } from '../../platform/http/api/fields.js';
import {
  OR_NULL,
  ApiConstantProperty,
  ApiIdProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  StatusSuccess,
} from '../../platform/http/api/response-properties.js';

export class OnboardingRequest {
  @ApiField('The name of the business.', 'Ada Foods Ltd')
  @Name(2, 200)
  businessName: string;

  @ApiField('Answered trimmed and in lower case.', 'office@adafoods.ng')
  @Email()
  contactEmail: string;

  @Optional()
  @ApiField(
    'E.164 is recommended, not required. Absent in a later call: the number is kept.',
    '+2348012345678',
  )
  @Name(1, 50)
  contactPhone?: string | null;
}

export class BusinessView {
  @ApiIdProperty('The business; the same in every later call.')
  businessId: string;

  @ApiTextProperty('The name of the business.', 'Ada Foods Ltd')
  name: string;

  @ApiTextProperty('As compared: trimmed, lower case.', 'office@adafoods.ng', { format: EMAIL_FORMAT })
  contactEmail: string;

  @ApiTextProperty('Null when none was given.', '+2348012345678', OR_NULL)
  contactPhone: string | null;

  @ApiConstantProperty('active')
  status: 'active';

  @ApiTimeProperty('When the business was registered.')
  createdAt: Date;
}

export class BusinessResponse extends StatusSuccess(BusinessView) {}

export class OwnBusinessResponse {
  @ApiConstantProperty(true)
  success: true;

  @ApiObjectProperty(BusinessView, 'The business; null without one.', OR_NULL)
  data: BusinessView | null;
}
