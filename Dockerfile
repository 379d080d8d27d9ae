# wavepipe in a container: `docker build -t wavepipe .`, then `docker run --rm -v "$PWD:/shaders" wavepipe test`.
# The driver is where the Vulkan loader looks, so Vulkan programs that are put into the image find it.
FROM rust:1.95-slim-bookworm AS build
COPY . /source
WORKDIR /source
RUN cargo build --release --locked --package wavepipe-cli --package wavepipe-icd
RUN ./scripts/package --tree /package

FROM debian:bookworm-slim
RUN apt-get update && \
    apt-get install --yes --no-install-recommends libvulkan1 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /package /usr/local
WORKDIR /shaders
ENTRYPOINT ["wavepipe"]
CMD ["--help"]
