import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { business as readBusiness, saveBusiness } from '../api/calls.js';
import type { Business as Details } from '../api/types.js';
import { Answer } from '../parts/answer.js';
import { Card } from '../parts/card.js';
import { Refused } from '../parts/failure.js';
import { useSending } from '../parts/sending.js';
import { useTitle } from '../parts/title.js';
import { BlocksLoading } from '../parts/loading.js';
import { useUser } from '../session.js';

export function Business() {
  useTitle('Business details');
  const query = useQuery({ queryKey: ['business'], queryFn: readBusiness });
  return (
    <Stack gap="lg" maw={640}>
      <div>
        <Title order={1}>Business details</Title>
        <Text c="dimmed" size="sm">
          Your wallets belong to this business.
        </Text>
      </div>
      <Card title={query.data ? 'Your business' : 'Register your business'}>
        <Answer of={query} what="Your business" loading={<BlocksLoading heights={[62, 62, 84, 36]} />}>
          {(details) => <Form details={details} />}
        </Answer>
      </Card>
    </Stack>
  );
}

function Form({ details }: { details: Details | null }) {
  const user = useUser();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      businessName: details?.name ?? '',
      contactEmail: details?.contactEmail ?? user.email,
      contactPhone: details?.contactPhone ?? '',
    },
  });
  const saving = useSending(
    form,
    ({ contactPhone, ...rest }) => saveBusiness({ ...rest, contactPhone: contactPhone.trim() || null }),
    { onSuccess: (saved) => client.setQueryData(['business'], saved) },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          autoComplete="organization"
          {...form.getInputProps('businessName')}
        />
        <TextInput
          label="Contact e-mail"
          type="email"
          required
          autoComplete="email"
          {...form.getInputProps('contactEmail')}
        />
        <TextInput
          label="Contact phone"
          description="With the country code, such as +234 801 234 5678"
          type="tel"
          autoComplete="tel"
          {...form.getInputProps('contactPhone')}
        />
        <Refused error={saving.refusal} />
        <Group>
          <Button type="submit" loading={saving.isPending}>
            {details ? 'Save' : 'Register'}
          </Button>
          {saving.isSuccess && (
            <Alert role="status" variant="light" color="teal" py={6} px="sm">
              <Text size="sm">Saved.</Text>
            </Alert>
          )}
        </Group>
      </Stack>
    </form>
  );
}
