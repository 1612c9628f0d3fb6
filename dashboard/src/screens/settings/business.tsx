import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { business as readBusiness, saveBusiness } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Business as Details } from '../../api/types.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Refused } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { useUser } from '../../session/session.js';
import { businessNameProblem, emailProblem, phoneProblem } from '../../text/validation.js';
import { Allowed } from '../../parts/session/allowed.js';

export function Business() {
  const query = useQuery({ queryKey: queryKeys.business, queryFn: readBusiness });
  return (
    <Card title={query.data === null ? 'Register your business' : 'Business'}>
      <Answer of={query} what="Your business" loading={<BlocksLoading heights={[62, 62, 74, 36]} />}>
        {(details) => <Form details={details} />}
      </Answer>
    </Card>
  );
}

function Form({ details }: { details: Details | null }) {
  const user = useUser();
  const client = useQueryClient();
  const form = useKeptForm('business', {
    initialValues: {
      businessName: details?.name ?? '',
      contactEmail: details?.contactEmail ?? user.email,
      contactPhone: details?.contactPhone ?? '',
    },
    validate: { businessName: businessNameProblem, contactEmail: emailProblem, contactPhone: phoneProblem },
  });
  const saving = useSending(
    form,
    ({ contactPhone, ...rest }) => saveBusiness({ ...rest, contactPhone: contactPhone.trim() || null }),
    {
      onSuccess: (saved) => {
        client.setQueryData(queryKeys.business, saved);
        void client.invalidateQueries({ queryKey: queryKeys.session });
        void toast({ message: 'Business saved' });
      },
    },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <TextInput
          label="Business name"
          required
          autoComplete="organization"
          {...form.getInputProps('businessName')}
        />
        <TextInput
          label="Contact email"
          type="email"
          required
          autoComplete="email"
          {...form.getInputProps('contactEmail')}
        />
        <TextInput
          label="Contact phone"
          description="Optional, with the country code, such as +234 801 234 5678"
          type="tel"
          autoComplete="tel"
          {...form.getInputProps('contactPhone')}
        />
        <Refused error={saving.refusal} />
        <Allowed act="business.change">
          <Button type="submit" loading={saving.isPending} style={{ alignSelf: 'flex-start' }}>
            {details ? 'Save' : 'Register'}
          </Button>
        </Allowed>
      </Stack>
    </form>
  );
}
