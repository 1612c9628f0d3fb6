export { MantineProvider, Stack, Text, Title } from '@mantine/core';
