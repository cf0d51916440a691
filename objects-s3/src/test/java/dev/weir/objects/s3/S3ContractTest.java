package dev.weir.objects.s3;

import dev.weir.objects.s3.testing.FakeS3;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreContract;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract over a service in this process. */
class S3ContractTest extends ObjectStoreContract {
  private static FakeS3 service;

  @BeforeAll
  static void startService() throws Exception {
    service = new FakeS3();
  }

  @AfterAll
  static void stopService() {
    service.close();
  }

  @Override
  protected int bigBytes() {
    return (21 << 20) + 5;
  }

  @Override
  protected ObjectStore open() throws Exception {
    return S3ObjectStore.open(
        S3Options.of(URI.create("s3://bucket/some/prefix"))
            .withEndpoint(service.endpoint())
            .withCredentials("key", "secret")
            .withParts(16L << 20, 5L << 20));
  }
}
