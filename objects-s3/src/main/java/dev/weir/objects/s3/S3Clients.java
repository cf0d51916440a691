package dev.weir.objects.s3;

import dev.weir.objects.s3.http.AttemptRegistry;
import dev.weir.objects.s3.http.NettyHttpClient;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3AsyncClientBuilder;

/**
 * Makes the SDK's client. It signs, marshals and parses; attempts, limits and timeouts are ours,
 * and its futures complete on the event loops.
 */
final class S3Clients {
  private S3Clients() {}

  static S3AsyncClient create(S3Options options, NettyHttpClient http, AttemptRegistry attempts) {
    S3AsyncClientBuilder builder =
        S3AsyncClient.builder()
            .httpClient(http)
            .forcePathStyle(options.pathStyle())
            .credentialsProvider(credentials(options))
            // Other services do not know the SDK's trailing checksums; ours are plain headers.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(s3 -> s3.expectContinueEnabled(false))
            .overrideConfiguration(client ->
                client
                    .retryStrategy(DefaultRetryStrategy.doNotRetry())
                    .scheduledExecutorService(http.scheduler())
                    .addExecutionInterceptor(attempts))
            .asyncConfiguration(async ->
                async.advancedOption(
                    SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, Runnable::run));
    if (options.endpoint() != null) {
      builder.endpointOverride(options.endpoint());
    }
    if (options.region() != null) {
      builder.region(Region.of(options.region()));
    } else if (options.endpoint() != null) {
      builder.region(Region.US_EAST_1);
    }
    return builder.build();
  }

  private static AwsCredentialsProvider credentials(S3Options options) {
    S3Options.Credentials fixed = options.credentials();
    return fixed == null
        ? DefaultCredentialsProvider.builder().asyncCredentialUpdateEnabled(true).build()
        : StaticCredentialsProvider.create(
            AwsBasicCredentials.create(fixed.accessKey(), fixed.secretKey()));
  }
}
